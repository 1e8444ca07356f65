// The checkpoints of a state folder: lists them and restores one as the state. The caller restores the tree.
import { existsSync, lstatSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { writeWholeSync } from "../../files/write.ts";
import { type AgentState, type Checkpoint, readAgentState } from "./document.ts";
import { ARCHIVE, LATEST_FILE, STATE_FILE, snapshotName } from "./names.ts";
import { findState, readPlain, snapshotsIn } from "./state-folder.ts";

export interface KnownCheckpoint extends Checkpoint {
	/** The snapshot can be used. */
	readonly usable: boolean;
}

/** Those that the state lists; if it cannot be read, those whose snapshots exist. */
export function listCheckpoints(folder: string): KnownCheckpoint[] {
	const found = findState(folder);
	const known = found?.ok ? found.state.checkpoints : snapshotsIn(folder).flatMap((name) => entryOf(folder, name) ?? []);
	return known.map((one) => ({ ...one, usable: snapshotIn(folder, one.state_snapshot) !== null }));
}

export interface FoundSnapshot {
	readonly name: string;
	readonly state: AgentState;
	readonly entry: Checkpoint;
}

/** By its name, or the latest. */
export function findSnapshot(folder: string, wanted: string): FoundSnapshot | { readonly problem: string } {
	const name = wanted === "latest" ? (snapshotsIn(folder).at(-1) ?? null) : snapshotName(wanted);
	if (name === null)
		return {
			problem:
				wanted === "latest"
					? `there is no checkpoint in ${folder}`
					: `${wanted} is not a checkpoint: checkpoints are called checkpoint-001, checkpoint-002, …`,
		};
	if (!existsSync(join(folder, name))) return { problem: `there is no ${join(folder, name)}; pawl checkpoint list shows all checkpoints` };
	const state = snapshotIn(folder, name);
	const entry = state?.checkpoints.at(-1);
	if (state === null || entry === undefined) return { problem: `${join(folder, name)} cannot be used: pawl checkpoint validate says why` };
	return { name, state, entry };
}

/** Makes it the state; the old state and the later snapshots go to the archive. */
export function restoreSnapshot(folder: string, { name, entry }: FoundSnapshot, mark: string): void {
	const target = join(folder, ARCHIVE, `before-${entry.state_snapshot.replace(".json", "")}-${mark}`);
	mkdirSync(target, { recursive: true });
	const later = snapshotsIn(folder).filter((other) => number(other) > number(entry.state_snapshot));
	for (const other of [STATE_FILE, ...later])
		if (lstatSync(join(folder, other), { throwIfNoEntry: false })) renameSync(join(folder, other), join(target, other));
	const text = readPlain(join(folder, name)) ?? "";
	writeWholeSync(join(folder, STATE_FILE), text);
	if (name !== LATEST_FILE) writeWholeSync(join(folder, LATEST_FILE), text);
}

const number = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);

function snapshotIn(folder: string, name: string): AgentState | null {
	const read = readAgentState(readPlain(join(folder, name)) ?? "");
	return read.ok ? read.state : null;
}

const entryOf = (folder: string, name: string): Checkpoint | undefined => snapshotIn(folder, name)?.checkpoints.at(-1);
