// pawl doctor: looks for what is missing (git, agents, isolation) and what was left behind (unfinished runs, worktrees
// that no run needs). It changes nothing but with --prune.
import { join } from "node:path";
import { Command } from "commander";
import { isOver } from "../core/query.ts";
import { databaseOf } from "../runs/place.ts";
import { filesIn } from "../runs/run-files.ts";
import type { RunSummary, Store } from "../store.ts";
import type { Repository } from "../workspace.ts";
import { type Context, EXIT } from "./context.ts";
import { document } from "./document.ts";
import { fitted } from "./fit.ts";
import { atLeast, bytesText, type FoundAgent, findAgent, findProgram, type Program, sizeOf } from "./machine.ts";
import { paint, wantsColor } from "./text.ts";

/** The first with `merge-tree --write-tree`. */
const GIT_WANTED = "2.38";

interface Stray {
	readonly path: string;
	readonly slot: number | null;
	readonly bytes: number;
}

export function command(c: Context): Command {
	return new Command("pawl doctor")
		.description("look for what is missing or left behind; changes nothing without --prune")
		.option("--prune", "remove worktrees that no unfinished run needs; branches and backups stay")
		.option("--json", "as one JSON document")
		.action(async (flags: { prune?: boolean; json?: boolean }) => {
			const found = await examine(c);
			const pruned = flags.prune ? await prune(found) : [];
			const problems = problemsOf(found);
			if (problems.length > 0) c.exit(EXIT.failed);
			const { repository, ...rest } = found;
			if (flags.json) return c.out(document({ pawl: c.services.version, ...rest, root: repository?.root ?? null, pruned, problems }));
			print(c, found, pruned, problems);
		});
}

interface Examined {
	readonly node: string;
	readonly git: Program;
	readonly isolation: string;
	readonly agents: readonly FoundAgent[];
	readonly repository: Repository | null;
	readonly place: string | null;
	readonly config: readonly string[];
	readonly unfinished: readonly RunSummary[];
	readonly strays: readonly Stray[];
}

async function examine(c: Context): Promise<Examined> {
	const [git, isolation, agents, opened] = await Promise.all([
		findProgram("git", c.env),
		c.services.isolation(),
		c.services.knownAgents().then((known) => Promise.all(known.map((info) => findAgent(info, c.env)))),
		c.services.openRepository(c.cwd, () => ({ setup: null, copy: [], link: [] })),
	]);
	const machine = { node: process.version, git, isolation, agents };
	if ("problem" in opened) return { ...machine, repository: null, place: opened.problem, config: [], unfinished: [], strays: [] };
	const store = c.services.openReader(databaseOf(opened.root));
	try {
		const unfinished = ((await store?.runs()) ?? []).filter((run) => !isOver(run.status));
		return {
			...machine,
			repository: opened,
			place: null,
			config: await configProblems(opened.root),
			unfinished,
			strays: await straysOf(opened.root, store, unfinished),
		};
	} finally {
		await store?.close();
	}
}

async function configProblems(root: string): Promise<string[]> {
	const { loadConfig } = await import("../config.ts");
	const loaded = loadConfig(root);
	return loaded.ok ? [] : loaded.problems.map((p) => `${p.file}:${p.line}:${p.column}: ${p.message}`);
}

async function straysOf(root: string, store: Store | null, unfinished: readonly RunSummary[]): Promise<Stray[]> {
	const needed = new Set<number>();
	for (const run of unfinished) {
		const [first] = (await store?.events(run.id)) ?? [];
		if (first?.event === "run_created") for (const slot of first.options.slots) needed.add(slot);
	}
	const folder = join(root, ".pawl", "worktrees");
	return filesIn(folder).flatMap((name) => {
		const slot = /^agent-(\d+)$/.exec(name)?.[1];
		if (slot !== undefined && needed.has(Number(slot))) return [];
		const path = join(folder, name);
		return [{ path, slot: slot === undefined ? null : Number(slot), bytes: sizeOf(path) }];
	});
}

async function prune({ repository, strays }: Examined): Promise<string[]> {
	const slots = strays.flatMap((stray) => (stray.slot === null ? [] : [stray.slot]));
	if (repository === null || slots.length === 0) return [];
	await repository.close(slots);
	return strays.flatMap((stray) => (stray.slot === null ? [] : [stray.path]));
}

function problemsOf(found: Examined): string[] {
	const { git } = found;
	const problems = [...found.config];
	if (git.path === null) problems.push("git is not in PATH: install it");
	else if (git.version !== null && !atLeast(git.version, GIT_WANTED))
		problems.push(`git is ${git.version}; pawl needs ${GIT_WANTED} or newer`);
	return problems;
}

function print(c: Context, found: Examined, pruned: readonly string[], problems: readonly string[]): void {
	const color = paint(wantsColor(c.env, c.outIsTty));
	const said = (p: Program): string => (p.path === null ? "not found" : `${p.version ?? "found"}, ${p.path}`);
	const rows = [
		["pawl", c.services.version],
		["node", found.node],
		["git", said(found.git)],
		["isolation", found.isolation === "none" ? "none: what an agent leaves running is looked for and ended, less surely" : found.isolation],
		...found.agents.map((agent) => [agent.name, [said(agent), agent.loggedIn ?? []].flat().join(", ")]),
		["repository", found.repository?.root ?? found.place ?? ""],
	];
	c.out(`${fitted(rows, Math.max(c.width, 60), "")}\n`);
	const hints = found.agents.flatMap((agent) => agent.hints.map((hint) => `  ${agent.name}: ${hint}\n`));
	if (hints.length > 0) c.out(`\n${color.bold("agents")}\n${hints.join("")}`);
	if (found.agents.every((agent) => agent.path === null))
		c.out(`\nno agent is in PATH; pawl.yml can name one, and --agent-command takes any command\n`);
	if (found.unfinished.length > 0)
		c.out(
			`\n${color.bold("unfinished runs")}\n${fitted(
				found.unfinished.map((run) => [run.id, run.status, run.title]),
				c.width,
			)}\n`,
		);
	const left = found.strays.filter((stray) => !pruned.includes(stray.path));
	if (pruned.length > 0) c.out(`\n${color.bold("removed")}\n${pruned.map((path) => `  ${path}`).join("\n")}\n`);
	if (left.length > 0) {
		c.out(
			`\n${color.bold("worktrees that no unfinished run needs")}\n${left.map((stray) => `  ${stray.path}  ${bytesText(stray.bytes)}`).join("\n")}\n`,
		);
		if (left.some((stray) => stray.slot !== null)) c.out("remove them with: pawl doctor --prune\n");
	}
	for (const problem of problems) c.err(`pawl: ${problem}\n`);
	if (problems.length === 0) c.out("\nnothing that pawl needs is missing\n");
}
