// A run as a screen shows it: asked for when the screen opens, and again whenever the run has changed.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/api-error.ts";
import { at, get } from "../api/request.ts";
import { connected } from "../api/stream.ts";
import { Throttle } from "../api/throttle.ts";
import type { JournalEvent, RunView } from "../api/types.ts";
import { failed } from "./alerts.ts";
import { hear } from "./live.ts";

export interface Loaded<T> {
	/** null: not there yet. */
	readonly value: T | null;
	/** The server's sentence, if there is nothing to show. */
	readonly problem: string | null;
}

const NOTHING = { value: null, problem: null };

export function useRun(run: string): Signal<Loaded<RunView>> {
	return useFromRun(run, () => get<RunView>(`runs/${at(run)}`));
}

/** The journal; only what is new is asked for again. */
export function useJournal(run: string): Signal<Loaded<readonly JournalEvent[]>> {
	return useFromRun<readonly JournalEvent[]>(run, async (before) => {
		const known = before ?? [];
		const more = await get<JournalEvent[]>(`runs/${at(run)}/events?after=${known.at(-1)?.version ?? 0}`);
		return more.length === 0 && before !== null ? known : [...known, ...more];
	});
}

/** `ask` gets what is shown now. */
export function useFromRun<T>(run: string, ask: (before: T | null) => Promise<T>): Signal<Loaded<T>> {
	const loaded = useSignal<Loaded<T>>(NOTHING);
	const again = connected.value;
	useEffect(() => {
		if (again === 0) return;
		const load = new Throttle(
			() => ask(loaded.peek().value),
			(value) => {
				loaded.value = { value, problem: null };
			},
			(error) => {
				if (error instanceof ApiError && error.code === "not_found" && loaded.peek().value === null)
					loaded.value = { value: null, problem: error.message };
				else failed(error);
			},
		);
		load.ask();
		const deaf = hear(run, () => load.ask());
		return () => {
			deaf();
			load.end();
		};
	}, [run, again]);
	return loaded;
}
