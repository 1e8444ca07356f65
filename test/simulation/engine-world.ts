// The world around a run of the engine layer: the repository's files and checks, and a cast whose sessions go well unless the scenario says
// otherwise. A check tells the truth about the files, so that the end of a run can be compared with it.

import type { AgentOutcome } from "../../src/agent.ts";
import type { Definition } from "../../src/core/definition.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { type Cast, fails, type Part, play, type Reply, type Turn } from "../../src/engine/testing/cast.suite.ts";
import type { Check } from "../../src/engine/testing/engine-parts.suite.ts";
import type { HarnessOptions } from "../../src/engine/testing/harness.suite.ts";
import type { EngineScenario, Mood } from "./engine-scenario.ts";
import { luckOf } from "./luck.ts";
import { PROMPT, randomWorkflow } from "./workflows.ts";

const MINUTE = 60_000;
/** The user's own file, which nobody may touch. */
export const MINE = "notes of mine.txt";
/** This loop looks at its control files five times a second, so hours of it take long. */
const LOOP = "iterations";
/** The user's checks fail on a tree that has this file. */
export const RED = "BROKEN";
const SUMMARY = "## SUMMARY\n- done\n";

/** What the run has gone through so far. */
export interface Telling {
	/** Sessions that were started. */
	sessions: number;
	/** Checks that were started. */
	checks: number;
	/** From now on all goes well. */
	healed: boolean;
	/** Takes this much time, or until it is told to end. */
	takes(ms: number, signal: AbortSignal): Promise<void>;
	note(text: string): void;
	count(what: string): void;
	definition(): Definition | null;
	/** A session works that may. */
	works?(turn: Turn): void;
	/** A session types what only a person may. */
	decides(x: number): Promise<void>;
}

const works: Part = async ({ files, checkout, story, type, takes }) => {
	await takes(MINUTE);
	files.write(`${story || type}.txt`, `${story || type}\n`);
	checkout.commitAll(`work on ${story || type}`);
	files.write(`more/${story || type}.txt`, "more\n");
	return SUMMARY;
};

/** A cast for every role of the random workflows. */
const RANDOM_CAST: Cast = {
	worker: works,
	teller: async (turn) => `${(await play(works, turn)).text}\nSTATUS: done\nNOTE: it went well\n`,
	check: "VERDICT: FINE\nFINDINGS: none",
	advise: "VERDICT: FINE\nFINDINGS: none",
	looper: async (turn) => `${(await play(works, turn)).text}\n<promise>ALL DONE</promise>`,
	reviewer: "VERDICT: FINE",
};

/** The same where they may only look. */
const READERS: Cast = { worker: SUMMARY, teller: "STATUS: done\nNOTE: it went well\n", looper: "<promise>ALL DONE</promise>" };

/** Some take a while, so that others wait for their merge meanwhile. */
const truthful =
	(telling: Telling): Check =>
	async (files, _, signal) => {
		const luck = luckOf(telling.checks++);
		if (luck.happens(0.5)) await telling.takes(luck.between(1, 10) * MINUTE, signal);
		return signal.aborted ? { exitCode: null } : files.read(RED) === null ? 0 : 1;
	};

export function worldOf(scenario: EngineScenario, telling: Telling): HarnessOptions {
	const { workflow, stories, agents, yes, budget, pulled } = scenario;
	const common = { pulled, serialMerges: scenario.serial, checks: { lint: truthful(telling), test: truthful(telling) } };
	const options = { agents, yes, ...(budget === null ? {} : { budgets: { cost: budget } }) };
	const files = { "README.md": "a project\n", "shared.txt": "1\n2\n3\n" };
	if (typeof workflow === "number") {
		const { text } = randomWorkflow(workflow);
		const takes = text.includes('"stories"');
		return {
			...common,
			workflow: { yaml: text, prompts: { "prompts/step.md": PROMPT } },
			reader: "none",
			stories: takes ? stories : [],
			options,
			files,
			cast: moody(RANDOM_CAST, scenario, telling),
		};
	}
	const known = BUILT_IN[workflow];
	if (known === undefined) throw new Error(`there is no workflow ${workflow}`);
	const own =
		workflow === "dynamic"
			? { stories, cast: moody({ ...known.cast, rebase_resolve: resolves }, scenario, telling) }
			: { cast: moody({ "*": "STATUS: done", ...known.cast }, scenario, telling) };
	return {
		...known,
		...common,
		files: { ...files, ...known.files },
		user: (site) => {
			known.user?.(site);
			if (workflow === "dynamic") HAS_A_FILE(site);
		},
		...own,
		options: { ...known.options, ...options },
	};
}

const HAS_A_FILE: NonNullable<HarnessOptions["user"]> = (site) => site.user.files.write(MINE, "mine\n");

const resolves: Part = ({ checkout }) => {
	checkout.mergeOurs("main");
	return SUMMARY;
};

function moody(cast: Cast, scenario: EngineScenario, telling: Telling): Cast {
	return Object.fromEntries(Object.entries(cast).map(([key, part]) => [key, (turn: Turn) => session(part, turn, scenario, telling)]));
}

async function session(part: Part, turn: Turn, scenario: EngineScenario, telling: Telling): Promise<Reply> {
	const nth = telling.sessions++;
	const wrong = telling.healed ? undefined : scenario.sessions.find((one) => one.nth === nth);
	if (wrong !== undefined) {
		telling.count(`session ${wrong.mood}`);
		telling.note(`session ${nth} (${turn.story} ${turn.step} ${turn.type}): ${wrong.mood}`);
	}
	const luck = luckOf(wrong?.x ?? nth);
	// The shortest limit of a built-in step is five minutes: a session that passes it is a fault.
	await turn.takes(luck.between(0, telling.healed ? 4 : 6) * MINUTE);
	const early = wrong === undefined ? null : await instead(wrong.mood, turn, luck);
	if (early !== null) return early;
	const writes = mayWrite(telling, turn);
	const said = await play(typeof scenario.workflow === "number" && !writes ? (READERS[turn.role] ?? part) : part, turn);
	if (writes) {
		telling.works?.(turn);
		if (wrong?.mood === "breaks") turn.files.write(RED, "x\n");
		else turn.files.remove(RED);
		if (wrong?.mood === "clashes") turn.files.write("shared.txt", `1\n2 ${turn.story}${turn.type}\n3\n`);
	}
	if (wrong?.mood === "edits" && turn.story !== "") turn.edit(edits(turn, luck.between(1, 5)));
	if (wrong?.mood === "decides") await telling.decides(wrong.x);
	if (wrong?.mood === "sneaks") turn.files.write("sneaky.txt", "x\n");
	return priced(said, luck.between(0, 20) / 10);
}

/** What the session does instead of its work; null: it works. */
async function instead(mood: Mood, turn: Turn, luck: ReturnType<typeof luckOf>): Promise<Partial<AgentOutcome> | string | null> {
	switch (mood) {
		case "fails":
			return fails(luck.pick(["agent_error", "permission", "context_too_long"]));
		case "overloaded":
			return fails("overloaded");
		case "limited":
			return fails("rate_limited", "a limit", { retryAt: turn.now() + luck.between(-5, turn.type === LOOP ? 9 : 90) * MINUTE });
		case "hangs":
			if (turn.type === LOOP) return fails("timeout");
			await turn.takes(300 * MINUTE);
			return "too late";
		case "mute":
			return "";
		case "judges":
			return luck.pick([
				"VERDICT: BAD\nFINDINGS:\n- [F1] plan: it could be better\n",
				"VERDICT: AWFUL\nFINDINGS: none",
				"STATUS: again",
				"STATUS: more\nNOTE: x",
			]);
		case "dies":
			return turn.dies();
		default:
			return null;
	}
}

function edits({ step }: Turn, which: number): unknown {
	const reason = "chance";
	switch (which) {
		case 1:
			return [{ operation: "restart", target_step_id: step, reason, new_description: "again" }];
		case 2:
			return [{ operation: "add_after", target_step_id: step, reason, new_steps: [{ type: "coding", description: "more" }] }];
		case 3:
			return [{ operation: "skip", target_step_id: "step-008", reason }];
		case 4:
			return [{ operation: "skip", target_step_id: "step-010", reason }];
		default:
			return "{ not json";
	}
}

const priced = (said: AgentOutcome, costUsd: number): AgentOutcome => ({ ...said, usage: { ...said.usage, costUsd } });

const mayWrite = (telling: Telling, turn: Turn): boolean => {
	const type = telling.definition()?.types[turn.type];
	return type?.writes === "any" && (type.kind === "agent" || type.kind === "loop");
};
