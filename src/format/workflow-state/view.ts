// workflow_state.json of a run, kept up to date event by event. An event costs the same however long the run is: the
// view keeps the newest state of each story and its history, and the text of a story is made again only after a change.
// The file says less than the journal: only stories, only steps that agents see, only the document's nine actions.
import type { EditDetails, Event, NewStep } from "../../core/event.ts";
import type { RunState, Step, Story, Time } from "../../core/model.ts";
import { indexOfStep } from "../../core/query.ts";
import { bytesOf, GrowingBytes } from "./bytes.ts";
import type { HistoryEntry, StepRecord, StoryRecord } from "./document.ts";

interface StoryView {
	/** Its position in the state's list, where the view looks first. */
	readonly index: number;
	story: Story;
	/** Which agent had it at the newest event. Taken from the events: a view that is rebuilt after a crash gets the last state with every
	 * event, and a story that was retried may be in another slot by then. */
	slot: number | null;
	/** The text of the history: entries are only added, and so is their text. */
	history: GrowingBytes;
	/** Entries that are not in that text yet. */
	added: HistoryEntry[];
	/** The text of its steps, in blocks; empty while the text of the whole story is kept. */
	blocks: Block[];
	/** The text of the story in the file; null after a change. */
	text: Uint8Array | null;
}

/** A row of steps and their text, each with a comma and a line end before it. */
interface Block {
	readonly steps: readonly Step[];
	readonly text: Uint8Array;
}

/** Changed in place, because copying a growing history for each event would cost too much. */
export interface WorkflowStateView {
	readonly createdAt: Time;
	readonly prdFile: string | null;
	/** Keyed like the file, so that the order is that of any JSON parser. */
	readonly stories: Record<string, StoryView>;
	/** The buffer for the text, reused each time. */
	readonly out: GrowingBytes;
	/** Types that agents do not see; null before the first event. */
	internal: ReadonlySet<string> | null;
}

/** `prdFile`: null if the input was a request. */
export function emptyView(run: { readonly createdAt: Time; readonly prdFile: string | null }): WorkflowStateView {
	return { createdAt: run.createdAt, prdFile: run.prdFile, stories: Object.create(null), out: new GrowingBytes(), internal: null };
}

/** `state` is the state after the event. Returns the same view. */
export function applyToView(view: WorkflowStateView, event: Event, state: RunState): WorkflowStateView {
	view.internal ??= new Set(Object.values(state.definition.types).flatMap((type) => (type.internal ? [type.name] : [])));
	if (event.event === "stories_added") {
		for (const [index, story] of state.stories.entries())
			view.stories[story.id] ??= {
				index,
				story,
				slot: null,
				history: new GrowingBytes(),
				added: [],
				blocks: [],
				text: null,
			};
	} else if ("scope" in event) {
		const found = view.stories[event.scope];
		if (found === undefined) return view;
		const there = state.stories[found.index];
		found.story = (there?.id === event.scope ? there : state.stories.find((story) => story.id === event.scope)) ?? found.story;
		if (event.event === "story_claimed") found.slot = event.slot;
		found.added.push(...entriesOf(event, found, view.internal));
		found.text = null;
	}
	return view;
}

/** The text of the file: two spaces of indent, a line end at the end. */
export function renderView(view: WorkflowStateView): string {
	return new TextDecoder().decode(renderBytes(view));
}

/** The same as bytes, which is cheaper: most of a long run is already encoded. Valid until the next call. */
export function renderBytes(view: WorkflowStateView): Uint8Array {
	const { out } = view;
	out.clear();
	const head = JSON.stringify({ version: 1, created_at: isoTime(view.createdAt), prd_file: view.prdFile }, null, 2).slice(0, -2);
	out.add(`${head},\n  "stories": {`);
	let some = false;
	for (const found of Object.values(view.stories)) {
		out.add(some ? NEXT : LINE);
		some = true;
		if (found.text !== null) out.add(found.text);
		else addStory(out, found, view.internal ?? new Set());
	}
	out.add(some ? "\n  }\n}\n" : "}\n}\n");
	return out.all();
}

const NEXT = bytesOf(",\n");
const LINE = bytesOf("\n");

/** JSON texts contain only escaped line ends, so every real line end is between lines. */
const indented = (value: unknown, by: string): string => JSON.stringify(value, null, 2).replaceAll("\n", `\n${by}`);

function addStory(out: GrowingBytes, found: StoryView, internal: ReadonlySet<string>): void {
	for (const entry of found.added.splice(0))
		found.history.add(`${found.history.size === 0 ? "\n" : ",\n"}        ${indented(entry, "        ")}`);
	const from = out.size;
	const head = indented(storyRecord(found), "    ").slice(0, -"\n    }".length);
	out.add(`    ${JSON.stringify(found.story.id)}: ${head},\n      "steps": [`);
	const hasSteps = addSteps(out, found, internal);
	out.add(`${hasSteps ? "\n      " : ""}],\n      "history": [`);
	const at = out.size - from;
	const { size } = found.history;
	out.add(found.history.all());
	out.add(`${size > 0 ? "\n      " : ""}]\n    }`);
	// A story under way will change before its text is needed again. That of another one is kept, and only once: there may be thousands.
	if (found.story.status === "in_progress") return;
	found.text = out.all().slice(from);
	found.history = new GrowingBytes(found.text.subarray(at, at + size));
	found.blocks = [];
}

/** A change makes the text of a whole block again. */
const BLOCK = 16;

/** Between two events hardly a step changes, so most blocks are copied as they are. False: there is nothing to show. */
function addSteps(out: GrowingBytes, { story, blocks }: StoryView, internal: ReadonlySet<string>): boolean {
	const { steps } = story.scope;
	let some = false;
	for (let at = 0, i = 0; at < steps.length; at += BLOCK, i++) {
		const known = blocks[i];
		const length = Math.min(BLOCK, steps.length - at);
		const block = known !== undefined && isSame(known.steps, steps, at, length) ? known : blockOf(steps.slice(at, at + length), internal);
		blocks[i] = block;
		if (block.text.length === 0) continue;
		// No comma before the first.
		out.add(some ? block.text : block.text.subarray(1));
		some = true;
	}
	return some;
}

function isSame(known: readonly Step[], steps: readonly Step[], at: number, length: number): boolean {
	if (known.length !== length) return false;
	for (let i = 0; i < length; i++) if (known[i] !== steps[at + i]) return false;
	return true;
}

function blockOf(steps: readonly Step[], internal: ReadonlySet<string>): Block {
	const text = new GrowingBytes();
	for (const step of steps) {
		if (internal.has(step.type)) continue;
		text.add(`,\n        ${indented(stepRecord(step), "        ")}`);
	}
	return { steps, text: text.all().slice() };
}

function storyRecord({ story }: StoryView): Omit<StoryRecord, "steps" | "history"> {
	// A story that waits shows no agent; who had it before is in the journal.
	const taken = story.status !== "unclaimed" && story.status !== "blocked";
	return {
		story_id: story.id,
		title: story.title,
		status: story.status,
		agent_id: taken ? story.slot : null,
		claimed_at: taken ? isoOrNull(story.claimedAt) : null,
		completed_at: taken ? isoOrNull(story.completedAt) : null,
		depends_on: story.dependsOn,
	};
}

function stepRecord(step: Step): StepRecord {
	const status = step.status === "waiting" ? (step.startedAt === null ? "pending" : "in_progress") : step.status;
	// A pending step shows nothing of its earlier attempts, which are in the journal.
	const ran = status !== "pending" && status !== "skipped";
	return {
		id: step.id,
		type: step.type,
		status,
		description: step.description,
		started_at: ran ? isoOrNull(step.startedAt) : null,
		completed_at: ran ? isoOrNull(step.completedAt) : null,
		git_sha_at_start: ran ? step.commit : null,
		notes: ran ? step.notes : null,
		error: status === "failed" || status === "cancelled" ? (step.error ?? status) : null,
		skip_reason: status === "skipped" ? (step.skipReason ?? "") : null,
		restart_count: step.restarts,
		cost_usd: step.usage.costUsd,
		input_tokens: step.usage.inputTokens,
		output_tokens: step.usage.outputTokens,
		log_file: ran ? step.log : null,
	};
}

/** What the event adds to the history of its story. Events that none of the nine actions describes are only in the journal. */
function entriesOf(event: Event, { story, slot }: StoryView, internal: ReadonlySet<string>): HistoryEntry[] {
	const entry = (action: HistoryEntry["action"], step: string | null, details: Readonly<Record<string, unknown>> = {}): HistoryEntry => ({
		timestamp: isoTime(event.at),
		action,
		agent_id: slot,
		step_id: step,
		details,
	});
	const { steps } = story.scope;
	if ("step" in event && internal.has(steps[indexOfStep(steps, event.step)]?.type ?? "")) return [];
	switch (event.event) {
		case "story_claimed":
			return [entry("story_claimed", null)];
		case "story_completed":
			return [entry("story_completed", null)];
		case "story_failed":
			return [entry("story_failed", null, { error: event.error })];
		case "step_started":
			return [entry("step_started", event.step, { attempt: event.attempt })];
		case "step_completed":
			return [entry("step_completed", event.step)];
		case "step_failed":
			return [entry("step_failed", event.step, { error: event.error })];
		case "step_cancelled":
			return [entry("step_cancelled", event.step, { error: event.error })];
		case "step_skipped":
			return [entry("step_skipped", event.step, { reason: event.reason })];
		case "workflow_edited": {
			const { operation, target_step_id, reason } = event.details;
			const edit = entry("workflow_edit", event.step, editDetails(event.details));
			return operation === "skip" ? [edit, entry("step_skipped", target_step_id ?? null, { reason })] : [edit];
		}
		case "steps_inserted": {
			const steps = event.steps.filter((step) => !internal.has(step.type));
			if (steps.length === 0) return [];
			const details = { operation: "add_after", target_step_id: event.after, reason: event.reason, new_steps: steps.map(newStep) };
			return [entry("workflow_edit", null, details)];
		}
		case "step_reopened":
			return [entry("workflow_edit", event.step, { operation: "reopen", target_step_id: event.step, reason: event.reason })];
		case "report_asked":
			return [entry("workflow_edit", event.step, { operation: "reopen", target_step_id: event.step, reason: event.missing })];
		default:
			return [];
	}
}

function editDetails({ operation, target_step_id, reason, new_steps, ...rest }: EditDetails): Readonly<Record<string, unknown>> {
	return {
		operation,
		...(target_step_id === undefined ? {} : { target_step_id }),
		reason,
		...(new_steps === undefined ? {} : { new_steps: new_steps.map(newStep) }),
		...rest,
	};
}

const newStep = ({ id, type, description }: NewStep) => ({ id, type, description });

const isoOrNull = (time: Time | null): string | null => (time === null ? null : isoTime(time));

/** ISO 8601 in UTC; whole seconds as the document writes them, without a fraction. */
export function isoTime(time: Time): string {
	return new Date(time).toISOString().replace(".000Z", "Z");
}
