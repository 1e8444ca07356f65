// Where a reader of the stream is: the id of every event it gets. It holds for any server of the repository and for any store, because it
// names runs and versions of their journals and no order of the store as a whole. A run that has been quiet for a while is left out, or ids would grow
// with the history of the repository; its position follows from the time in the id: all its events are either long before it, or after it.
import type { Event } from "../core/event.ts";
import type { ReadRun } from "../runs/look/reader.ts";

/** A run is left out if nothing has happened in it for so long. */
const QUIET_MS = 10 * 60_000;
/** Far from both ends of that time: clocks of several machines differ, and an event is committed a little after its time. */
const MARGIN_MS = 5 * 60_000;

export interface Position {
	/** When the event was sent; null: the stream is about one run. */
	readonly at: number | null;
	/** Run → how many of its events the reader has. */
	readonly versions: ReadonlyMap<string, number>;
}

export function idOf({ at, versions }: Position): string {
	return Buffer.from(JSON.stringify([at, ...[...versions].flat()])).toString("base64url");
}

/** null: not an id of ours. */
export function positionOf(id: string): Position | null {
	let value: unknown;
	try {
		value = JSON.parse(Buffer.from(id, "base64url").toString("utf8"));
	} catch {
		return null;
	}
	if (!Array.isArray(value) || value.length % 2 !== 1 || Buffer.from(id, "base64url").toString("base64url") !== id) return null;
	const [at, ...rest] = value as unknown[];
	if (at !== null && !Number.isSafeInteger(at)) return null;
	const versions = new Map<string, number>();
	for (let i = 0; i < rest.length; i += 2) {
		const [run, version] = [rest[i], rest[i + 1]];
		if (typeof run !== "string" || typeof version !== "number" || !Number.isSafeInteger(version) || version < 0) return null;
		versions.set(run, version);
	}
	return at === null && versions.size !== 1 ? null : { at: at as number | null, versions };
}

/** What an id has to name at this time. */
export function named(read: ReadonlyMap<string, number>, runs: ReadonlyMap<string, ReadRun>, at: number): Map<string, number> {
	return new Map(
		[...read].filter(([run, version]) => (runs.get(run)?.updatedAt ?? at) > at - QUIET_MS || runs.get(run)?.version !== version),
	);
}

/** Whether a run that the id does not name has events that the reader lacks. */
export const mayBeBehind = ({ updatedAt }: ReadRun, at: number): boolean => updatedAt > at - MARGIN_MS;

/** How many events of such a run the reader has. */
export function versionAt(events: readonly Event[], at: number): number {
	const first = events.findIndex((event) => event.at > at - MARGIN_MS);
	return first < 0 ? events.length : first;
}
