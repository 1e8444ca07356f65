// Walks one guarantee over the table: a run of each path by each driver, in this process.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Definition } from "../../src/core/definition.ts";
import type { Input } from "../../src/core/input.ts";
import type { RunState } from "../../src/core/model.ts";
import { type Cast, type Part, partOf, type Reply, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { Harness, type HarnessOptions } from "../../src/engine/testing/harness.suite.ts";
import { definitionOf } from "../../src/engine/testing/start.suite.ts";
import { scratchFolder } from "../support/scratch.ts";
import { type Driver, driversOf, PATHS, type Path } from "./paths.ts";

/** What a session says when it does what it should. */
type Usual = () => Promise<Reply>;
/** Plays every session of a run: usually by doing what the session usually does. */
export type Play = (turn: Turn, usual: Usual) => Reply | Promise<Reply>;

export interface Scenario {
	readonly options?: Partial<HarnessOptions>;
	readonly play?: Play;
	/** Before the run is driven. */
	begin?(h: Harness): void;
	/** Resumed: right after the kill, before the next process. */
	killed?(h: Harness): void;
	/** What has to hold when the run has come to its halt. */
	holds(h: Harness, state: RunState): void | Promise<void>;
}

export interface Walked {
	readonly path: Path;
	readonly driver: Driver;
	readonly definition: Definition;
	/** Whether this session is of the one who does the work of the path. */
	isWriter(turn: Turn): boolean;
	/** Whether this session is of the one who may only look. */
	isReader(turn: Turn): boolean;
	/** Whether the step of this session may write, and the work is its job. */
	mayWrite(turn: Turn): boolean;
}

/** Why a row of the table is left out of a walk; null: it is walked. */
export type LeftOut = (path: Path, driver: Driver) => string | null;

/** `scenario` gives what happens in a run of the path, or null where its workflow has nothing that the guarantee is about. */
export function walk(promise: string, scenario: (of: Walked) => Scenario | null, leftOut: LeftOut = () => null): void {
	describe(promise, () => {
		let walked = 0;
		after(() => assert.ok(walked > 0, "no path has anything that this is about"));
		for (const path of PATHS)
			for (const driver of driversOf(path).filter((one) => leftOut(path, one) === null))
				test(`${path.name}, ${driver}`, async () => {
					const definition = await definitionOf(path.options.workflow, scratchFolder("definition"));
					const found = scenario(walkedOf(path, driver, definition));
					if (found === null) return;
					walked++;
					const h: Harness = new Harness(optionsOf(path, driver, found, () => found.killed?.(h)));
					try {
						await h.create();
						found.begin?.(h);
						await found.holds(h, await h.toHalt());
					} finally {
						h.remove();
					}
				});
	});
}

const walkedOf = (path: Path, driver: Driver, definition: Definition): Walked => ({
	...{ path, driver, definition },
	isWriter: ({ type, role }) => path.writer === type || path.writer === role,
	isReader: ({ type, role }) => path.reader === type || path.reader === role,
	mayWrite: (turn) => mayWrite(path, definition, turn),
});

function optionsOf(path: Path, driver: Driver, { options = {}, play }: Scenario, onKilled: () => void): HarnessOptions {
	const base: HarnessOptions = { ...path.options, ...options, checks: { ...path.options.checks, ...options.checks } };
	const played = play === undefined ? base.cast : casting(base.cast, play);
	return { ...base, cast: driver === "resumed" ? killedOnce(played, path.writer, onKilled) : played, pulled: driver === "pulled" };
}

function casting(cast: Cast, play: Play): Cast {
	const one = async (turn: Turn): Promise<Reply> => play(turn, () => saidBy(partOf(cast, turn), turn));
	return Object.fromEntries([...Object.keys(cast), "*"].map((key) => [key, one]));
}

export const saidBy = async (part: Part, turn: Turn): Promise<Reply> =>
	typeof part === "string" ? part : ((await part(turn)) ?? undefined);

/** kill -9 in the middle of the first work that is done, with half of it written. */
function killedOnce(cast: Cast, writer: string, onKilled: () => void): Cast {
	let killed = false;
	return {
		...cast,
		[writer]: (turn: Turn) => {
			if (killed) return saidBy(partOf(cast, turn), turn);
			killed = true;
			turn.files.write("half.txt", "half of it\n");
			onKilled();
			return turn.dies();
		},
	};
}

function mayWrite({ writer }: Path, definition: Definition, { type, role }: Turn): boolean {
	const of = definition.types[type];
	if (of === undefined || of.kind === "gate" || of.writes === "none") return false;
	return of.writes === "any" ? of.kind !== "loop" || role === writer : role === writer;
}

/** Goes on with a run that came to a halt, as a person does it. */
export async function goOn(h: Harness, ...inputs: readonly Input[]): Promise<RunState> {
	const at = h.clock.now();
	const all: readonly Input[] = [...inputs, { type: "resume", at }, { type: "advance", at }];
	if (h.options.pulled) for (const input of all) await h.post(input);
	const ended = h.options.pulled ? await h.pull() : await h.drive(undefined, all);
	if (ended.how === "failed") throw ended.error;
	return ended.how === "halted" ? ended.state : h.toHalt();
}

/** Failed stories are tried again. */
export const retried = (h: Harness): Promise<RunState> => goOn(h, { type: "retry_story", at: h.clock.now(), story: null });
