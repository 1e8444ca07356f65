// The fake agent without processes: the rules of fake-agent.ts, played in the process of the test by the cast of the engine's harness. A
// rule of usual lines costs no process at all; for any other line there is one shell, in the folder of the checkout.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AgentOutcome, NO_USAGE } from "../../src/agent.ts";
import type { Part, Reply, Turn } from "../../src/engine/testing/cast.suite.ts";
import { type Call, CODING, type FakeAgent, type Meaning, meaningOf, type Rule } from "./fake-agent.ts";
import { scratchFolder } from "./scratch.ts";

export interface QuickAgent extends FakeAgent {
	/** For the cast of a harness. */
	readonly part: Part;
}

interface Counted {
	/** Of all calls. */
	readonly n: number;
	/** Of the calls of this role. */
	readonly turn: number;
	/** Of the calls of this type in this story. */
	readonly nth: number;
}

export function quickAgent(rules: readonly Rule[] = []): QuickAgent {
	const home = scratchFolder("agent");
	const calls: Call[] = [];
	const all = [...rules, CODING];
	const part: Part = (turn) => {
		const mine = (of: Call): boolean => of.type === turn.type && of.story === turn.story;
		const count: Counted = {
			n: calls.length + 1,
			turn: calls.filter((call) => call.env["PAWL_ROLE"] === turn.role).length + 1,
			nth: calls.filter(mine).length + 1,
		};
		calls.push(callOf(turn));
		const rule = all.find((one) => fits(one, turn, count));
		return carryOut(rule?.do ?? [], turn, count, home);
	};
	return {
		home,
		part,
		command: "quick",
		calls: () => calls,
		types: () => calls.map((call) => call.type),
		of: (type) => calls.filter((call) => call.type === type),
		flag: (name) => join(home, name),
		left: () => [],
	};
}

const callOf = ({ type, step, story, role, prompt, checkout, env, now }: Turn): Call => ({
	...{ type, step, story, prompt, argv: [], state: null },
	env: { ...env, PAWL_ROLE: role },
	cwd: checkout.path,
	head: checkout.commit ?? "",
	from: BigInt(now()),
	to: null,
});

function fits({ when = {} }: Rule, { type, step, story, role }: Turn, { turn, nth }: Counted): boolean {
	const has = { type, step, story, role, turn, nth };
	return Object.entries(when).every(([name, value]) => has[name as keyof typeof has] === value);
}

function carryOut(lines: readonly string[], turn: Turn, count: Counted, home: string): Reply {
	const meant = lines.map(meaningOf);
	if (!meant.every((meaning) => meaning !== null)) return inShell(lines, turn, count, home);
	let said: string | null = null;
	let usage: AgentOutcome["usage"] = NO_USAGE;
	for (const meaning of meant) {
		if ("crash" in meaning) throw new Error("pawl dies here");
		if ("exit" in meaning) return ended(meaning.exit, said);
		if ("say" in meaning) said = `${said ?? ""}${meaning.say}\n`;
		else if ("usage" in meaning) usage = { ...NO_USAGE, costUsd: meaning.usage["cost_usd"] ?? null };
		else effect(meaning, turn, count, home);
	}
	return { text: said ?? summary(turn), usage };
}

type Effect = Exclude<Meaning, { say: string } | { exit: number } | { usage: object } | { crash: true }>;

function effect(meaning: Effect, { files, checkout, story, step }: Turn, { n }: Counted, home: string): void {
	if ("commit" in meaning) return void checkout.commitAll(meaning.commit);
	if ("keep" in meaning) {
		const [folder, text] = [callFolder(home, n), files.read(meaning.keep)];
		return text === null ? undefined : writeFileSync(join(folder, meaning.as), text);
	}
	const put = (text: string): string =>
		meaning.plain === true ? text : text.replaceAll("$PAWL_STORY_ID", story).replaceAll("$PAWL_STEP_ID", step).replaceAll("$n", String(n));
	const path = put(meaning.write);
	files.write(path, (meaning.more === true ? (files.read(path) ?? "") : "") + put(meaning.text));
}

/** As the script of fake-agent.ts names it. */
function callFolder(home: string, n: number): string {
	const folder = join(home, "calls", String(n).padStart(4, "0"));
	mkdirSync(folder, { recursive: true });
	return folder;
}

const summary = ({ type, story, step }: Turn): string =>
	`Worked on ${type}.\n\n## SUMMARY\n- ${type} of ${story} finished\n- marker-${step}\n- nothing else\n`;

const ended = (code: number, said: string | null): Reply =>
	code === 0 ? (said ?? "") : { result: "agent_error", error: `exit code ${code}`, exitCode: code, text: said ?? "" };

function inShell(lines: readonly string[], turn: Turn, count: Counted, home: string): Reply {
	const call = callFolder(home, count.n);
	writeFileSync(join(call, "prompt"), turn.prompt);
	const given = { home, call, type: turn.type, n: count.n, turn: count.turn, nth: count.nth, said: "" };
	const ran = spawnSync("/bin/sh", ["-c", `${lines.join("\n")}\n[ -n "$said" ] || exit 117`], {
		cwd: turn.checkout.path,
		encoding: "utf8",
		env: {
			...turn.env,
			GIT_CEILING_DIRECTORIES: dirname(turn.checkout.path),
			...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
			...{ PAWL_STEP_ID: turn.step, PAWL_STORY_ID: turn.story, PAWL_STEP_TYPE: turn.type, PAWL_ROLE: turn.role },
		},
	});
	if (ran.error !== undefined) throw ran.error;
	if (/git: .*not a git repository|fatal: not a git/.test(ran.stderr)) throw new Error(`this agent needs a real repository: ${ran.stderr}`);
	return ran.status === SAID_NOTHING ? ran.stdout + summary(turn) : ended(ran.status ?? 1, ran.stdout);
}

const SAID_NOTHING = 117;
