// The format of workflow_state.json as the document of the `dynamic` workflow describes it: types, check, spelling.
import { z } from "zod";
import { readForeignJson } from "../../core/text/foreign-json.ts";

const nothing = z.null();
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, "must be a time in UTC such as 2025-01-15T10:00:00Z");
const storyId = z.string().regex(/^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "is no story id");
const stepId = z.string().regex(/^step-\d{3,}$/, "must be a step id such as step-001");
const count = z.int().min(0);

const step = z.looseObject({
	id: stepId,
	type: z.string().min(1),
	status: z.enum(["pending", "in_progress", "completed", "skipped", "failed", "cancelled"]),
	description: z.string(),
	started_at: time.or(nothing),
	completed_at: time.or(nothing),
	git_sha_at_start: z
		.string()
		.regex(/^[0-9a-f]{4,64}$/, "must be a commit")
		.or(nothing),
	notes: z.string().or(nothing),
	error: z.string().or(nothing),
	skip_reason: z.string().or(nothing),
	restart_count: count,
	cost_usd: z.number().min(0).or(nothing),
	input_tokens: count.or(nothing),
	output_tokens: count.or(nothing),
	log_file: z.string().or(nothing),
});

export const HISTORY_ACTIONS = [
	"step_started",
	"step_completed",
	"step_failed",
	"step_cancelled",
	"step_skipped",
	"workflow_edit",
	"story_claimed",
	"story_completed",
	"story_failed",
] as const;

const entry = z.looseObject({
	timestamp: time,
	action: z.enum(HISTORY_ACTIONS),
	agent_id: z.int().or(nothing),
	step_id: stepId.or(nothing),
	details: z.record(z.string(), z.unknown()),
});

const story = z.looseObject({
	story_id: storyId,
	title: z.string(),
	status: z.enum(["unclaimed", "in_progress", "completed", "failed", "blocked"]),
	agent_id: z.int().or(nothing),
	claimed_at: time.or(nothing),
	completed_at: time.or(nothing),
	depends_on: z.array(z.string()),
	steps: z.array(step),
	history: z.array(entry),
});

const file = z.looseObject({
	version: z.literal(1),
	created_at: time,
	prd_file: z.string().or(nothing),
	stories: z.record(storyId, story),
});

/** Without the index signature that a loose object has: what pawl writes has exactly these keys. */
type Exact<T> = T extends readonly (infer Item)[]
	? readonly Exact<Item>[]
	: T extends object
		? { readonly [K in keyof T as string extends K ? never : K]: Exact<T[K]> }
		: T;

export type StepRecord = Exact<z.infer<typeof step>>;
export type HistoryEntry = Omit<Exact<z.infer<typeof entry>>, "details"> & { readonly details: Readonly<Record<string, unknown>> };
export type StoryRecord = Omit<Exact<z.infer<typeof story>>, "history"> & { readonly history: readonly HistoryEntry[] };
export interface WorkflowState {
	readonly version: 1;
	readonly created_at: string;
	readonly prd_file: string | null;
	readonly stories: Readonly<Record<string, StoryRecord>>;
}

export type ParsedWorkflowState =
	| { readonly ok: true; readonly state: WorkflowState }
	| { readonly ok: false; readonly problems: readonly string[] };

/**
 * Checks a file that comes from elsewhere. Returns the exact data of the text, including unknown keys
 * in their order, so that `renderWorkflowState` gives the same bytes again for a file that was written
 * by it or by any JSON writer with an indent of two. Spellings that JSON data does not have are not kept: 0.10 is 0.1,
 * a list on one line is spread, \u00e9 is é.
 */
export function parseWorkflowState(text: string): ParsedWorkflowState {
	const read = readForeignJson(text);
	if (!read.ok) return { ok: false, problems: [`this is not JSON that can be read and written: ${read.message}`] };
	const { value } = read;
	const result = file.safeParse(value);
	if (!result.success) return { ok: false, problems: result.error.issues.map((issue) => `${nameOf(issue.path)}: ${issue.message}`) };
	const state = value as WorkflowState;
	// The schema does not look at a key `__proto__`.
	const problems = Object.entries(state.stories).flatMap(([id, record]) =>
		Object.hasOwn(result.data.stories, id) ? storyProblems(id, record, state) : [`stories.${id}: is no story id`],
	);
	return problems.length > 0 ? { ok: false, problems } : { ok: true, state };
}

/** Two spaces of indent and a line end. */
export function renderWorkflowState(state: WorkflowState): string {
	return `${JSON.stringify(state, null, 2)}\n`;
}

function storyProblems(id: string, record: StoryRecord, state: WorkflowState): string[] {
	const name = `stories.${id}`;
	const problems: string[] = [];
	if (record.story_id !== id) problems.push(`${name}.story_id: is ${JSON.stringify(record.story_id)}`);
	for (const needed of record.depends_on)
		if (!Object.hasOwn(state.stories, needed)) problems.push(`${name}.depends_on: there is no story ${JSON.stringify(needed)}`);
	const seen = new Set<string>();
	const twice = new Set<string>();
	for (const { id: step } of record.steps) {
		if (seen.has(step)) twice.add(step);
		seen.add(step);
	}
	for (const step of twice) problems.push(`${name}.steps: ${step} appears twice`);
	return problems;
}

function nameOf(path: readonly PropertyKey[]): string {
	const name = path.reduce<string>(
		(text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}${text ? "." : ""}${String(part)}`),
		"",
	);
	return name === "" ? "the file" : name;
}
