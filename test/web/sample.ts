// Answers of the API for tests: whole runs from a few words.
import type { Stub } from "./stub.ts";

export const AT = Date.UTC(2026, 0, 5, 9, 0, 0);
const iso = (minutes: number): string => new Date(AT + minutes * 60_000).toISOString();

export const spent = (cost: number | null = 0.42) => ({
	cost_usd: cost,
	input_tokens: 120_000,
	output_tokens: 8_400,
	sessions: 3,
	unknown_cost_sessions: 0,
});

export const step = (id: string, type: string, status: string, more: object = {}) => ({
	id,
	type,
	status,
	description: `Do the ${type} of it`,
	attempt: status === "pending" ? 0 : 1,
	tries: status === "pending" ? 0 : 1,
	agent: null,
	model: null,
	restart_count: 0,
	started_at: status === "pending" ? null : iso(1),
	completed_at: status === "completed" ? iso(3) : null,
	elapsed_ms: status === "pending" ? null : 120_000,
	not_before: null,
	cost_usd: status === "pending" ? null : 0.12,
	input_tokens: 10_000,
	output_tokens: 900,
	notes: null,
	error: null,
	skip_reason: null,
	...more,
});

export const story = (id: string, status: string, more: object = {}) => {
	const steps = [
		step("step-1", "planning", status === "unclaimed" ? "pending" : "completed"),
		step("step-2", "coding", status === "completed" ? "completed" : status === "in_progress" ? "in_progress" : "pending"),
		step("step-3", "review", status === "completed" ? "completed" : "pending"),
	];
	return {
		id,
		title: `Story ${id}`,
		status,
		slot: status === "in_progress" ? 1 : null,
		priority: 1,
		depends_on: [] as string[],
		claimed_at: status === "unclaimed" ? null : iso(1),
		completed_at: status === "completed" ? iso(9) : null,
		elapsed_ms: status === "unclaimed" ? null : 480_000,
		...spent(status === "unclaimed" ? null : 0.21),
		error: null,
		current_step: status === "in_progress" ? steps[1] : null,
		steps,
		description: `As a user I want ${id}`,
		acceptance_criteria: [`${id} works`, "Typecheck passes"],
		retry_count: 0,
		output: null as string | null,
		...more,
	};
};

export const run = (id: string, more: object = {}) => ({
	run: id,
	version: 10,
	workflow: "dynamic",
	title: `Run ${id}`,
	status: "running",
	reason: null,
	stopping: null,
	base: "main",
	agents: 3,
	created_at: iso(0),
	ended_at: null,
	elapsed_ms: 600_000,
	...spent(),
	budgets: { cost: { limit: 5, spent: 0.42, per: "run", story: null } },
	waiting: [] as object[],
	reasons: [] as object[],
	progress: { percent: 40, stories_completed: 1, stories_total: 3, eta_ms: 900_000 },
	steps: [] as object[],
	stories: [
		story("US-001", "completed"),
		story("US-002", "in_progress"),
		story("US-003", "unclaimed", { depends_on: ["US-002"] }),
	] as object[],
	driven: true,
	recorded: [],
	unclaimed: [],
	advice: [] as object[],
	files: "",
	diffs: [],
	...more,
});

export type SampleRun = ReturnType<typeof run>;

export const rowOf = (view: SampleRun) => ({
	run: view.run,
	workflow: view.workflow,
	title: view.title,
	status: view.status,
	driven: view.driven,
	created_at: view.created_at,
	updated_at: view.created_at,
	cost_usd: view.cost_usd,
	progress: view.stories.length === 0 ? null : view.progress,
	waiting: view.waiting.length,
});

export const question = (view: SampleRun, more: object = {}) => ({
	run: view.run,
	title: view.title,
	workflow: view.workflow,
	story: "US-001",
	step: "step-2",
	type: "agree",
	reason: "Is it good enough?",
	since: iso(5),
	ask: "7",
	actions: ["approve", "reject"],
	...more,
});

/** Puts runs into a stub. */
export function serve(stub: Stub, views: readonly SampleRun[], questions: readonly object[] = []): void {
	stub.answers.set("runs", views.map(rowOf));
	stub.answers.set("inbox", questions);
	for (const view of views) {
		stub.answers.set(`runs/${view.run}`, view);
		stub.answers.set(`runs/${view.run}/stories`, view.stories);
		stub.answers.set(`runs/${view.run}/events`, (search: string) => {
			const all = (stub.answers.get(`journal ${view.run}`) ?? []) as readonly { readonly version: number }[];
			return all.filter((event) => event.version > Number(new URLSearchParams(search).get("after") ?? 0));
		});
	}
}

export const attempt = (story: string | null, id: string, type: string, from: number, to: number | null, more: object = {}) => ({
	story,
	step: id,
	type,
	kind: "agent",
	number: 1,
	nth: 1,
	role: "developer",
	slot: story === null ? null : 1,
	agent: "claude",
	model: "sonnet",
	started_at: iso(from),
	ended_at: to === null ? null : iso(to),
	signal: to === null ? null : "done",
	reason: null,
	cost_usd: 0.12,
	input_tokens: 10_000,
	output_tokens: 900,
	commit: null,
	checks: [] as object[],
	remarks: [] as string[],
	...more,
});

export const detail = (view: SampleRun, id: string, more: object = {}) => {
	const own = view.stories.find((one) => (one as { readonly id: string }).id === id) as ReturnType<typeof story>;
	return {
		run: view.run,
		version: view.version,
		...own,
		steps: own.steps.map((one) => ({
			...one,
			kind: "agent",
			internal: false,
			doubts: [],
			attempts: [attempt(id, one.id, one.type, 1, 3)],
		})),
		failing: [],
		reasons: [],
		questions: [],
		edits: [] as object[],
		decisions: [] as object[],
		kept: {},
		put_back: [] as string[],
		...more,
	};
};

/** A small patch with a changed, a new and a deleted file. */
export const PATCH = `diff --git a/src/cart.ts b/src/cart.ts
index 1111111..2222222 100644
--- a/src/cart.ts
+++ b/src/cart.ts
@@ -1,6 +1,7 @@ export class Cart
 import { sum } from "./sum.ts";
 
-export const total = (items) => sum(items);
+/** In cents. */
+export const total = (items: readonly Item[]): number => sum(items.map((item) => item.price));
 
 // the end
-const old = 1;
diff --git a/README.md b/README.md
new file mode 100644
--- /dev/null
+++ b/README.md
@@ -0,0 +1,2 @@
+# Shop
+It sells things.
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
`;

/** Records as Claude writes them. */
export const LOG: readonly object[] = [
	{ type: "attempt", attempt: 1, at: iso(1) },
	{ type: "prompt", text: "You are a developer.\n\nBuild the cart." },
	{ type: "system", subtype: "init", model: "sonnet" },
	{ type: "assistant", message: { content: [{ type: "thinking", thinking: "I should look at the code first." }] } },
	{ type: "assistant", message: { content: [{ type: "text", text: "I will look at the cart." }] } },
	{ type: "assistant", message: { content: [{ type: "tool_use", id: "1", name: "Bash", input: { command: "npm test" } }] } },
	{ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "1", content: "\u001b[32m5 passed\u001b[0m" }] } },
	{ type: "assistant", message: { content: [{ type: "tool_use", id: "2", name: "Edit", input: { file_path: "src/cart.ts" } }] } },
	{ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "2", content: "no such file", is_error: true }] } },
	{ type: "check", attempt: 1, name: "test", command: "npm test", exit_code: 1, output: "1 failed" },
	{ type: "end", result: "done" },
];

/** The log of a step, in one page. */
export const logOf = (records: readonly unknown[]) => (search: string) =>
	new URLSearchParams(search).get("after") === "0" ? { records, next: "9-9" } : { records: [], next: "9-9" };
