// What the page knows of all runs: the list, the questions that wait for a person, and who wants to hear of new events of a run.
import { computed, effect, signal } from "@preact/signals";
import type { RunStatus } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import { get } from "../api/request.ts";
import type { ServerEvent } from "../api/sse.ts";
import { connected, openStream } from "../api/stream.ts";
import { Throttle } from "../api/throttle.ts";
import type { JournalEvent, Question, RunRow } from "../api/types.ts";
import { parsePlain } from "../plain.ts";
import { failed } from "./alerts.ts";
import { tellOf } from "./notify.ts";

/** null: not known yet. */
export const runs = signal<readonly RunRow[] | null>(null);
export const inbox = signal<readonly Question[] | null>(null);
export const waitingCount = computed(() => inbox.value?.length ?? 0);

type Hears = (event: JournalEvent | null) => void;
const hearers = new Map<string, Set<Hears>>();

/** Calls back for each new event of the run; with null when the run's row changed. */
export function hear(run: string, hears: Hears): () => void {
	const all = hearers.get(run) ?? new Set();
	hearers.set(run, all.add(hears));
	return () => {
		all.delete(hears);
		if (all.size === 0) hearers.delete(run);
	};
}

/** Nobody reads ten thousand rows, and a browser takes long to draw them. */
const PAGE = 100;
const shown = signal(PAGE);
/** There are older ones. */
export const moreRuns = signal(false);

/** Rows that the stream brought since the list was asked for: the answer may have been read before them. If it was read after one, the stream has a newer row to come. */
const since = new Map<string, RunRow>();

const loadRuns = new Throttle(
	async () => {
		since.clear();
		const most = shown.peek();
		// One too many, which says that there are more. Runs that are not over come along however old they are.
		return { most, rows: await get<RunRow[]>(`runs?limit=${most + 1}`) };
	},
	({ most, rows }) => {
		moreRuns.value = rows.length > most;
		const listed = rows.filter((row, at) => at !== most || !isOver(row.status as RunStatus));
		runs.value = [...since.values()].reduce(withRow, listed);
	},
	failed,
);

export function showMoreRuns(): void {
	shown.value += PAGE;
	loadRuns.ask();
}

const loadInbox = new Throttle(
	() => get<Question[]>("inbox"),
	(now) => {
		tellOf(inbox.peek(), now);
		inbox.value = now;
	},
	failed,
);

/** Asks for the questions again, as after an answer. */
export const inboxChanged = (): void => loadInbox.ask();

/** Events after which other questions may be open. */
const ASKS = new Set(["step_waiting", "decided", "run_status_changed", "story_retried", "step_skipped", "run_resumed"]);

export function goLive(): void {
	effect(() => {
		if (connected.value === 0) return;
		loadRuns.ask();
		loadInbox.ask();
	});
	openStream(take);
}

function take({ name, data }: ServerEvent): void {
	if (name === "run") takeRow(parsePlain(data) as RunRow);
	if (name !== "journal") return;
	const { run, event, version } = parsePlain(data) as { run: string; version: number; event: JournalEvent };
	for (const hears of hearers.get(run) ?? []) hears({ ...event, version });
	if (ASKS.has(event.event)) loadInbox.ask();
	if (!runs.peek()?.some((row) => row.run === run)) loadRuns.ask();
}

function takeRow(row: RunRow): void {
	since.set(row.run, row);
	const known = runs.peek();
	const before = known?.find((one) => one.run === row.run);
	if (known !== null) runs.value = withRow(known, row);
	if (before?.waiting !== row.waiting) loadInbox.ask();
	for (const hears of hearers.get(row.run) ?? []) hears(null);
}

function withRow(known: readonly RunRow[], row: RunRow): readonly RunRow[] {
	if (known.some((one) => one.run === row.run)) return known.map((one) => (one.run === row.run ? row : one));
	if ((row.created_at ?? "") >= (known[0]?.created_at ?? "")) return [row, ...known];
	// An old one that is not shown, and may have to be now.
	loadRuns.ask();
	return known;
}
