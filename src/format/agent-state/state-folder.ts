// The folder of `agent-state.json` as pawl finds it: what the file says, whether pawl wrote it, how to archive it, and what a continued
// run does with a changed file.
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../core/event.ts";
import { readBounded } from "../../files/read.ts";
import type { ChangedFile } from "../../reader.ts";
import { isOwnState, withCurrentLimits } from "./adoption/adoption.ts";
import { adoptAgain } from "./adoption/known.ts";
import { type AgentState, readAgentState } from "./document.ts";
import { ARCHIVE, LATEST_FILE, STATE_FILE } from "./names.ts";
import { PHASES, phasesIn } from "./phases.ts";
import { comparable } from "./values.ts";

const MOST_BYTES = 64 * 1024 * 1024;

export interface FoundState {
	readonly ok: true;
	readonly file: string;
	readonly text: string;
	readonly state: AgentState;
	isOf(events: readonly Event[]): boolean;
	archive(): Promise<void>;
}

/** null if there is none. */
export function findState(folder: string): FoundState | { readonly ok: false; readonly problem: string } | null {
	const file = join(folder, STATE_FILE);
	if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
		return { ok: false, problem: `${folder} is a link: the state of a run is kept in a folder of the tree itself` };
	const text = readPlain(file);
	if (text === null) return null;
	const read = readAgentState(text);
	if (!read.ok) return { ok: false, problem: problemOf(folder, read.kind, read.problems) };
	return {
		ok: true,
		file,
		text,
		state: read.state,
		isOf: (events) => isOwnState(text, events),
		archive: async () => putAway(folder, read.state),
	};
}

/** null if there is no such file; something that is not a file, or is too large, reads as an empty text. */
export function readPlain(file: string): string | null {
	const found = readBounded(file, { max: MOST_BYTES });
	return "missing" in found ? null : "text" in found ? found.text : "";
}

/** The checksums of what pawl wrote; none if a loss of power left half of them. */
export function sumsIn(file: string): readonly string[] {
	const lines = (readPlain(file) ?? "").split("\n").filter((line) => line !== "");
	return lines.every((line) => /^[0-9a-f]{64}$/.test(line)) ? lines : [];
}

/** The message says what to do about it: the file is never overwritten. */
function problemOf(folder: string, kind: "corrupt" | "old" | "invalid", problems: readonly string[]): string {
	const file = join(folder, STATE_FILE);
	const what = problems.slice(0, 5).join("; ");
	if (kind === "old")
		return `${file}: ${what}. Let that workflow come to its end under the system that began it, or move the file away; nothing was changed`;
	const newest = newestSnapshot(folder);
	const restore = newest === null ? "move it away" : `restore the newest checkpoint with: cp ${join(folder, newest)} ${file}`;
	return `${file} cannot be used: ${what}. ${restore[0]?.toUpperCase()}${restore.slice(1)}`;
}

export function snapshotsIn(folder: string): string[] {
	try {
		return readdirSync(folder)
			.filter((name) => /^checkpoint-\d{3,}\.json$/.test(name))
			.sort((a, b) => numberOf(a) - numberOf(b));
	} catch {
		return [];
	}
}

const numberOf = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);

/** The newest that can be used. */
function newestSnapshot(folder: string): string | null {
	return snapshotsIn(folder).findLast((name) => readAgentState(readPlain(join(folder, name)) ?? "").ok) ?? null;
}

/** Archives state and snapshots together in one folder; the log of learnings is append-only and stays. */
function putAway(folder: string, state: AgentState): void {
	const stamp = state.orchestrator.start_time.replace(/[^0-9TZ]/g, "");
	let target = join(folder, ARCHIVE, stamp);
	for (let n = 2; lstatSync(target, { throwIfNoEntry: false }) !== undefined; n++) target = join(folder, ARCHIVE, `${stamp}-${n}`);
	mkdirSync(target, { recursive: true });
	for (const name of [STATE_FILE, LATEST_FILE, ...snapshotsIn(folder)])
		if (lstatSync(join(folder, name), { throwIfNoEntry: false })) renameSync(join(folder, name), join(target, name));
}

/** The state file of a continued run: null if it is unchanged or gone. */
export function changedState(folder: string, events: readonly Event[], sums: string): ChangedFile | null {
	const [first] = events;
	const found = findState(folder);
	if (found === null || first?.event !== "run_created") return null;
	const file = join(folder, STATE_FILE);
	if (!found.ok) return { file, problem: found.problem };
	const written = sumsIn(sums);
	const sum = createHash("sha256").update(comparable(found.state)).digest("hex");
	if (written.length > 0 ? written.includes(sum) : found.isOf(events)) return null;
	const phases = phasesIn(first.fields[PHASES]);
	const result = adoptAgain(found.text, found.state, `${file} was changed or restored`, events, {
		definition: first.definition,
		phases,
		// pawl has not written one yet, so the file comes from elsewhere, and the tasks come from the document.
		whole: written.length === 0,
	});
	if (result.ok) return { file, adopted: withCurrentLimits(result.adopted, events), ...restoredFrom(folder, found.state) };
	return {
		file,
		problem: `${file} was changed, and pawl cannot adopt it: ${result.problems.join("; ")}. Nothing was written`,
	};
}

/** The checkpoint that the file was restored from, by pawl or by hand. */
function restoredFrom(folder: string, state: AgentState): { readonly how?: string } {
	const same = snapshotsIn(folder).findLast((name) => {
		const read = readAgentState(readPlain(join(folder, name)) ?? "");
		return read.ok && comparable(read.state) === comparable(state);
	});
	return same === undefined ? {} : { how: `was restored from ${same.replace(".json", "")}` };
}
