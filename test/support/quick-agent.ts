// The fake agent without processes: the rules of fake-agent.ts, played in the process of the test by the cast of the engine's harness. A
// rule of usual lines costs no process at all; for any other line there is one shell, in the folder of the checkout.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

/** Command → who plays it. */
export const quickAgents = new Map<string, Part>();

/** `lines`: what each call does, instead of the rules, when somebody has said it. */
export function quickAgent(rules: readonly Rule[] = [], lines?: () => Promise<readonly string[]>): QuickAgent {
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
		if (lines !== undefined) return lines().then((said) => carryOut(said, turn, count, home));
		const rule = all.find((one) => fits(one, turn, count));
		return carryOut(rule?.do ?? [], turn, count, home);
	};
	const command = `quick-agent-${quickAgents.size + 1}`;
	quickAgents.set(command, part);
	return {
		home,
		part,
		command,
		calls: () => calls,
		types: () => calls.map((call) => call.type),
		of: (type) => calls.filter((call) => call.type === type),
		flag: (name) => join(home, name),
		left: () => [],
	};
}

function callOf({ type, step, story, role, prompt, checkout, env, now, sharedDir }: Turn): Call {
	const file = join(sharedDir, "workflow_state.json");
	const state = existsSync(file) ? readFileSync(file, "utf8") : "null";
	return {
		...{ type, step, story, prompt, argv: [], cwd: checkout.path, head: checkout.commit ?? "", to: null },
		env: { ...env, PAWL_ROLE: role },
		from: BigInt(now()),
		get state() {
			return JSON.parse(state) as Call["state"];
		},
	};
}

function fits({ when = {} }: Rule, { type, step, story, role }: Turn, { turn, nth }: Counted): boolean {
	const has = { type, step, story, role, turn, nth };
	return Object.entries(when).every(([name, value]) => has[name as keyof typeof has] === value);
}

/** In the order of the lines; those that only a shell understands, with their neighbours of that kind. */
function carryOut(lines: readonly string[], turn: Turn, count: Counted, home: string): Reply {
	let said: string | null = null;
	let usage: AgentOutcome["usage"] = NO_USAGE;
	const rest = [...lines];
	while (rest.length > 0) {
		const end = rest.findIndex((line) => meaningOf(line) !== null);
		const raw = rest.splice(0, end < 0 ? rest.length : end);
		if (raw.length > 0) {
			const { text, spoke, code } = inShell(raw, turn, count, home);
			if (spoke || text !== "") said = `${said ?? ""}${text}`;
			if (code !== 0) return ended(code, said);
			continue;
		}
		const meaning = meaningOf(rest.shift() ?? "");
		if (meaning === null) continue;
		if ("crash" in meaning) throw new Error("pawl dies here");
		if ("exit" in meaning) return ended(meaning.exit, said);
		if ("say" in meaning) said = `${said ?? ""}${meaning.say}\n`;
		else if ("usage" in meaning) usage = { ...NO_USAGE, costUsd: meaning.usage["cost_usd"] ?? null };
		else effect(meaning, turn, count, home);
	}
	return { text: said ?? summary(turn), usage };
}

type Effect = Exclude<Meaning, { say: string } | { exit: number } | { usage: object } | { crash: true }>;

function effect(meaning: Effect, { files, checkout, story, step }: Turn, { n, nth }: Counted, home: string): void {
	if ("meanwhile" in meaning) return meaning.meanwhile();
	if ("commit" in meaning) return void checkout.commitAll(meaning.commit);
	if ("keep" in meaning) {
		const [folder, text] = [callFolder(home, n), files.read(meaning.keep)];
		return text === null ? undefined : writeFileSync(join(folder, meaning.as), text);
	}
	if ("change" in meaning) return files.write(meaning.change, meaning.how(files.read(meaning.change) ?? ""));
	const values: Readonly<Record<string, string>> = { PAWL_STORY_ID: story, PAWL_STEP_ID: step, nth: String(nth), n: String(n) };
	const put = (text: string): string =>
		meaning.plain === true ? text : text.replaceAll(/\$(PAWL_STORY_ID|PAWL_STEP_ID|nth|n)\b/g, (_, name: string) => values[name] ?? "");
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

interface Spoken {
	readonly text: string;
	/** It said its final message, even an empty one. */
	readonly spoke: boolean;
	readonly code: number;
}

function inShell(lines: readonly string[], turn: Turn, count: Counted, home: string): Spoken {
	const call = callFolder(home, count.n);
	writeFileSync(join(call, "prompt"), turn.prompt);
	const given = { home, call, type: turn.type, n: count.n, turn: count.turn, nth: count.nth, said: "" };
	const ran = spawnSync("/bin/sh", ["-c", `${lines.join("\n")}\n[ -n "$said" ] || exit ${SAID_NOTHING}\nexit 0`], {
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
	if (/not a git repository/.test(ran.stderr)) throw new Error(`this agent needs a real repository: ${ran.stderr}`);
	const spoke = ran.status !== SAID_NOTHING;
	return { text: ran.stdout, spoke, code: spoke ? (ran.status ?? 1) : 0 };
}

const SAID_NOTHING = 117;
