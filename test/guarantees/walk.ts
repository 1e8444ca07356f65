// Walks one guarantee over the table: a run of each path by each driver, in this process.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Definition } from "../../src/core/definition.ts";
import type { Input } from "../../src/core/input.ts";
import type { RunState } from "../../src/core/model.ts";
import { type Cast, type Part, partOf, type Reply, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { Harness, type HarnessOptions } from "../../src/engine/testing/harness.suite.ts";
import { shareToHalt } from "../../src/engine/testing/shared.suite.ts";
import { definitionOf } from "../../src/engine/testing/start.suite.ts";
import { scratchFolder } from "../support/scratch.ts";
import { databaseFor } from "./databases.ts";
import { DRIVERS, type Driver, PATHS, type Path, whyNotDriven } from "./paths.ts";

/** What a session says when it does what it should. */
type Usual = () => Promise<Reply>;
/** Plays every session of a run: usually by doing what the session usually does. */
export type Play = (turn: Turn, usual: Usual) => Reply | Promise<Reply>;

export interface Scenario {
	readonly options?: Partial<HarnessOptions>;
	readonly play?: Play;
	/** Before the run is driven. */
	begin?(h: Harness): void;
	/** Resumed and shared: right after the kill, before the next process. */
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

/** One test for each row of the table. `row` says why the row has nothing that this is about; null: it was walked. Whoever drives, there is a row that was walked, or a
 * reason why there is none. */
export function rows(promise: string, row: (path: Path, driver: Driver) => Promise<string | null>, leftOut: LeftOut = () => null): void {
	describe(promise, () => {
		const walked = new Set<Driver>();
		const reasons = new Map<Driver, string>();
		after(() => {
			assert.ok(walked.size > 0, "no path has anything that this is about");
			for (const driver of DRIVERS) assert.ok(walked.has(driver) || reasons.get(driver), `${driver}: no row, and no reason`);
		});
		for (const path of PATHS)
			for (const driver of DRIVERS) {
				const why = whyNotDriven(path, driver);
				const reason = why ?? leftOut(path, driver);
				if (reason !== null) {
					// That some paths cannot be driven so is no reason to leave out all of them.
					if (why === null) reasons.set(driver, reason);
					continue;
				}
				test(`${path.name}, ${driver}`, async () => {
					const without = await row(path, driver);
					if (without === null) walked.add(driver);
					else reasons.set(driver, without);
				});
			}
	});
}

/** `scenario` gives what happens in a run of the path, or says why its workflow has nothing that the guarantee is about. */
export function walk(promise: string, scenario: (of: Walked) => Scenario | string, leftOut?: LeftOut): void {
	rows(
		promise,
		async (path, driver) => {
			const definition = await definitionOf(path.options.workflow, scratchFolder("definition"));
			const found = scenario(walkedOf(path, driver, definition));
			if (typeof found === "string") return found;
			const h: Harness = new Harness({ ...optionsOf(path, driver, found, () => found.killed?.(h)), ...(await databaseFor(path, driver)) });
			try {
				await h.create();
				found.begin?.(h);
				await found.holds(h, await toHalt(h));
				return null;
			} finally {
				h.remove();
			}
		},
		leftOut,
	);
}

const toHalt = (h: Harness, inputs: readonly Input[] = []): Promise<RunState> =>
	h.options.shared ? shareToHalt(h, [...inputs, { type: "advance", at: h.clock.now() }]) : h.toHalt();

const walkedOf = (path: Path, driver: Driver, definition: Definition): Walked => ({
	...{ path, driver, definition },
	isWriter: ({ type, role }) => path.writer === type || path.writer === role,
	isReader: ({ type, role }) => path.reader === type || path.reader === role,
	mayWrite: (turn) => mayWrite(path, definition, turn),
});

function optionsOf(path: Path, driver: Driver, { options = {}, play }: Scenario, onKilled: () => void): HarnessOptions {
	const base: HarnessOptions = { ...path.options, ...options, checks: { ...path.options.checks, ...options.checks } };
	const played = play === undefined ? base.cast : casting(base.cast, play);
	const isKilled = driver === "resumed" || driver === "shared";
	const cast = isKilled ? killedOnce(played, path.writer, onKilled) : played;
	return { ...base, cast, pulled: driver === "pulled", shared: driver === "shared" };
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
	if (h.options.shared) return toHalt(h, [...inputs, { type: "resume", at }]);
	const all: readonly Input[] = [...inputs, { type: "resume", at }, { type: "advance", at }];
	if (h.options.pulled) for (const input of all) await h.post(input);
	const ended = h.options.pulled ? await h.pull() : await h.drive(undefined, all);
	if (ended.how === "failed") throw ended.error;
	return ended.how === "halted" ? ended.state : h.toHalt();
}

/** Failed stories are tried again. */
export const retried = (h: Harness): Promise<RunState> => goOn(h, { type: "retry_story", at: h.clock.now(), story: null });
