// The baseline: tries setup and checks before the first session, where the work will happen. Refuses the run if they cannot even start,
// before it costs money; reports a check that already fails, to the user and to the agents. Remembers the result by commit,
// commands and setup, so that the next start costs nothing; never remembers a refusal.
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Definition } from "../../core/definition.ts";
import type { CheckResult } from "../../core/input.ts";
import { runCheck } from "../../engine/attempt/checks.ts";
import { undisturbed } from "../../engine/attempt/undisturbed.ts";
import { textIn } from "../../files/read.ts";
import { writeWhole } from "../../files/write.ts";
import { withoutPlaceholders } from "../../toolchain/checks.ts";
import { WorkspaceError } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { type Confine, confinedSetup, confiner } from "../sandbox.ts";
import type { Prepared } from "./prepare.ts";

const SHOWN_BYTES = 1500;
const MAX_BYTES = 4 * 1024 * 1024;
const KEPT = 50;
/** Exit codes of a shell that cannot start a command. */
const CANNOT_START = [126, 127];
const MOST_NAMED = 10;
const WHAT_TO_SET = "set what a fresh worktree needs in pawl.yml (`setup`, `link`, `copy`), or leave it unchecked with `baseline: off`";

/** What failed before the run began, for its agents; null if nothing did. */
export async function baseline(c: RunsContext, p: Prepared): Promise<string | null> {
	const checks = Object.entries(p.checks).map(([name, command]) => [name, withoutPlaceholders(command)] as const);
	if (!mayChange(p.definition)) return null;
	const inTree = p.definition.inputs[p.mode]?.workspace === "tree";
	if (!p.config.baseline || p.options.checks === false || (checks.length === 0 && (inTree || p.config.setup === null))) return null;
	const commit = await p.repository.commitOf(p.base);
	const { setup, copy, link } = p.config;
	const sandbox = p.sandbox === null ? [] : [p.sandbox];
	const key = createHash("sha256")
		.update(JSON.stringify([commit, checks, inTree ? null : { setup, copy, link }, ...sandbox]))
		.digest("hex");
	const known = remembered(p.repository.root);
	if (known[key] === undefined) c.warn(`trying ${whatOf(p, checks, inTree)} on ${p.base} before the first session (once for each commit)`);
	const red = known[key] ?? (await look(c, p, checks, commit, inTree));
	if (known[key] === undefined) await remember(p.repository.root, known, key, red);
	if (red === "") return null;
	c.warn(
		`checks that already fail on ${p.base}, before the first session:
${red}
the run continues, and what it delivers has to pass them; stop it (Ctrl-C) to repair them first`,
	);
	return red;
}

/** Where nobody may change a file, there is nothing to deliver that checks could fail on. */
const mayChange = ({ types }: Definition): boolean =>
	Object.values(types).some(({ kind, writes }) => (kind === "agent" || kind === "gate" || kind === "loop") && writes !== "none");

const whatOf = (p: Prepared, checks: readonly (readonly [string, string])[], inTree: boolean): string =>
	[...(inTree || p.config.setup === null ? [] : ["setup"]), ...checks.map(([name]) => name)].join(", ");

async function look(
	c: RunsContext,
	p: Prepared,
	checks: readonly (readonly [string, string])[],
	commit: string,
	inTree: boolean,
): Promise<string> {
	const run = runner(c, p);
	const tree = p.repository.tree();
	if (inTree) {
		const keptAs = join(p.repository.root, ".pawl", "baseline", `${c.now()}.diff`);
		const how = { of: { session: "baseline" }, keptAs, attempt: 1, warn: c.warn };
		const results = await undisturbed(tree, how, (before) => run(checks, tree.path, tree.sessionEnv(before)));
		refuseUnstartable(results, tree.path);
		return textOf(failing(results));
	}
	const { results, missing } = await inFresh(c, p, commit, async (path) => ({
		results: await run(checks, path),
		missing: missingIn(path, tree.path),
	}));
	refuseUnstartable(results, "a fresh worktree");
	const red = failing(results);
	if (red.length === 0) return "";
	// If a check also fails in the user's own checkout of the same commit, the code is at fault, not the fresh worktree.
	const here = (await p.repository.commitOf("HEAD").catch(() => "")) === commit;
	const again = checks.filter(([name]) => red.some((one) => one.name === name));
	const own = here ? failing(await run(again, tree.path)) : red;
	const onlyInWorktree = red.filter((one) => !own.some((other) => other.name === one.name));
	if (onlyInWorktree.length > 0)
		throw new Refusal(
			"invalid",
			`it passes in ${tree.path} and fails in a fresh worktree of the same commit:\n${textOf(onlyInWorktree)}\n${missing}${WHAT_TO_SET}`,
		);
	return textOf(red);
}

/** What the user's checkout has and git does not track: usually dependencies. */
function missingIn(fresh: string, tree: string): string {
	const there = new Set(readdirSync(fresh));
	const names = readdirSync(tree).filter((name) => !there.has(name) && !name.startsWith(".pawl"));
	if (names.length === 0) return "";
	return `only in your checkout: ${names.slice(0, MOST_NAMED).join(", ")}${names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ""}\n`;
}

const confineOf = (c: RunsContext, { sandbox, repository, config }: Prepared): Confine | null =>
	sandbox === null ? null : confiner(c, sandbox, { repository, config, sharedDir: null });

async function inFresh<T>(c: RunsContext, p: Prepared, commit: string, work: (path: string) => Promise<T>): Promise<T> {
	try {
		const confine = confineOf(c, p);
		return await p.repository.fresh(commit, work, confine === null ? undefined : confinedSetup(c, p.config, confine));
	} catch (error) {
		if (!(error instanceof WorkspaceError)) throw error;
		throw new Refusal("invalid", `a fresh worktree cannot be made ready: ${error.message}\n${WHAT_TO_SET}`);
	}
}

function runner(c: RunsContext, p: Prepared) {
	const { env, secrets } = c.services.agentEnv(p.config, c.env);
	const signal = new AbortController().signal;
	const check = c.services.runCheck ?? runCheck;
	const confine = confineOf(c, p);
	return async (checks: readonly (readonly [string, string])[], cwd: string, more: Readonly<Record<string, string>> = {}) => {
		const results: CheckResult[] = [];
		const sandbox = await confine?.(cwd, "check");
		const how = { cwd, env: { ...env, ...more }, mark: `baseline:${process.pid}`, isolate: true, sandbox, signal, secrets };
		for (const [name, command] of checks) results.push(await check(name, command, how));
		return results;
	};
}

const failing = (results: readonly CheckResult[]): CheckResult[] => results.filter((one) => one.exitCode !== 0);

function refuseUnstartable(results: readonly CheckResult[], where: string): void {
	const cannot = results.filter((one) => one.exitCode !== null && CANNOT_START.includes(one.exitCode));
	if (cannot.length > 0) throw new Refusal("invalid", `a check cannot be started in ${where}:\n${textOf(cannot)}\n${WHAT_TO_SET}`);
}

const textOf = (results: readonly CheckResult[]): string =>
	results
		.map(({ name, command, exitCode, output }) => {
			const end = output.trim().slice(-SHOWN_BYTES);
			return `${name}: \`${command}\` ${exitCode === null ? "did not end" : `exited ${exitCode}`}${end === "" ? "" : `\n${end}`}`;
		})
		.join("\n");

const fileOf = (root: string): string => join(root, ".pawl", "baseline.json");

function remembered(root: string): Readonly<Record<string, string>> {
	try {
		const known: unknown = JSON.parse(textIn(fileOf(root), { max: MAX_BYTES }) ?? "{}");
		return typeof known === "object" && known !== null ? (known as Record<string, string>) : {};
	} catch {
		return {};
	}
}

async function remember(root: string, known: Readonly<Record<string, string>>, key: string, red: string): Promise<void> {
	const entries = [...Object.entries(known).slice(-(KEPT - 1)), [key, red] as const];
	await writeWhole(fileOf(root), `${JSON.stringify(Object.fromEntries(entries))}\n`);
}
