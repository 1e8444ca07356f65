// The log of a step as entries, read page by page, and again every second while its session goes on. The list only grows, so it is kept
// in place; `count` tells that there is more.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, isPassing } from "../api/api-error.ts";
import { at, get } from "../api/request.ts";
import { connected } from "../api/stream.ts";
import type { LogPage } from "../api/types.ts";
import { type Entry, LogReader } from "../words/log-entry.ts";
import { failed } from "./alerts.ts";

const AGAIN_MS = 1_000;

export interface Log {
	readonly entries: readonly Entry[];
	readonly count: Signal<number>;
	/** Everything that was there has been read once. */
	readonly whole: Signal<boolean>;
}

export function useLog(run: string, story: string, step: string, goesOn: boolean): Log {
	const entries = useRef<Entry[]>([]);
	const place = useRef<{ next: number | string; reader: LogReader }>({ next: 0, reader: new LogReader() });
	const count = useSignal(0);
	const whole = useSignal(false);
	const again = connected.value;
	useEffect(() => {
		if (again === 0) return;
		const ended = new AbortController();
		let timer: ReturnType<typeof setTimeout> | undefined;
		const read = async (): Promise<void> => {
			for (let more = true; more; ) {
				const { next, reader } = place.current;
				const page = await get<LogPage>(
					`runs/${at(run, "stories", story, "steps", step)}/log?after=${encodeURIComponent(next)}`,
					ended.signal,
				);
				for (const record of page.records) entries.current.push(...reader.read(record));
				more = page.records.length > 0 && page.next !== next;
				place.current.next = page.next;
				if (page.records.length > 0) count.value = entries.current.length;
			}
			whole.value = true;
			if (goesOn) timer = setTimeout(start, AGAIN_MS);
		};
		const start = (): void => {
			if (document.hidden) timer = setTimeout(start, AGAIN_MS);
			else
				read().catch((error: unknown) => {
					if (ended.signal.aborted) return;
					// The log is another one now, as after a retry from the start.
					if (error instanceof ApiError && error.status === 400 && place.current.next !== 0) {
						place.current = { next: 0, reader: new LogReader() };
						entries.current.length = 0;
						timer = setTimeout(start, AGAIN_MS);
					} else if (isPassing(error)) timer = setTimeout(start, AGAIN_MS);
					else {
						whole.value = true;
						// A step that never began has no log.
						if (!(error instanceof ApiError && error.code === "not_found")) failed(error);
					}
				});
		};
		start();
		return () => {
			ended.abort();
			clearTimeout(timer);
		};
	}, [run, story, step, goesOn, again]);
	return { entries: entries.current, count, whole };
}
