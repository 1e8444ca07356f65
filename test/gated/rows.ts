// The rows of the routing matrix of document 004, in its order: what is signalled in which phase, which route of workflows/gated answers
// it, and what is dispatched next. The tests walk along them; docs/gated-routes.md is written from them.
import { type Definition, FAILURES, type Route } from "../../src/core/definition.ts";
import { readReport } from "../../src/core/report.ts";
import type { Answer, Script } from "../../src/core/testing/world.suite.ts";
import { conditionWords, routeWords } from "../../src/definition/words.ts";

export interface Row {
	readonly phase: string;
	readonly source: string;
	readonly signal: string;
	/** Requirement lines. */
	readonly ids: string;
	/** The step type and, where a route answers, its signal. */
	readonly at: readonly [type: string, signal?: string];
	/** What the roles say and the actions find on the way there; all else goes well. */
	readonly script: (say: Say) => Script;
	/** What is started from the row's step on; or what the run is in the end. */
	readonly next: readonly string[] | { readonly status: string };
	/** Units of plan_rework that were taken. */
	readonly spent?: number;
	/** What was recorded: name → how many. */
	readonly kept?: Readonly<Record<string, number>>;
}

/** A final message as the role would print it, read by the grammar of the step. */
export type Say = (type: string, role: string, ...lines: string[]) => Answer;

export const sayer =
	(definition: Definition): Say =>
	(type, role, ...lines) => {
		const grammar = definition.types[type]?.report ?? definition.roles[role]?.report;
		if (!grammar) throw new Error(`${role} has no grammar`);
		const { signal, fields, findings, kept } = readReport(grammar, `Some words first.\n\n${lines.join("\n")}\n`);
		return { signal, fields, findings, ...(kept === undefined ? {} : { kept }) };
	};

const review = (say: Say, type: string, verdict: string, ...findings: string[]): Answer =>
	say(
		type,
		"check",
		`VERDICT: ${verdict}`,
		findings.length === 0 ? "FINDINGS: none" : `FINDINGS:\n${findings.map((f) => `- ${f}`).join("\n")}`,
	);

/** All goes well: one task, tests that fail, code that makes them pass. */
export function well(say: Say, tasks = 1): Script {
	return {
		sanity: { signal: "fit" },
		context: say("context", "pm", "STATUS: FOUND"),
		begin: { signal: "begun" },
		"review_plan check": review(say, "review_plan", "ACCEPTABLE"),
		"review_plan simplify": say("review_plan", "simplify", "VERDICT: ACCEPTABLE", "FINDINGS: none"),
		split: {
			...(say("split", "orchestrator", "STATUS: done", `TASKS: ${tasks}`) as object),
			facts: { tasks: String(tasks), testable: "yes", stack: "node" },
		},
		revise_split: say("revise_split", "orchestrator", "STATUS: done", `TASKS: ${tasks}`),
		"review_split check": review(say, "review_split", "ACCEPTABLE"),
		file_tasks: { signal: "filed" },
		tests: say("tests", "test", "STATUS: TESTS_READY", "ESCALATE_TO_CHECK: false", "FAILURE: not there yet"),
		redesign_tests: say("redesign_tests", "test", "STATUS: TESTS_READY", "ESCALATE_TO_CHECK: false", "FAILURE: not there yet"),
		light_review: review(say, "light_review", "ACCEPTABLE"),
		sign_off: say("sign_off", "check", "SIGN_OFF: yes", "RATIONALE: it holds"),
		red: { signal: "red" },
		entry: { signal: "red" },
		implement: say("implement", "make", "STATUS: COMPLETE", "ESCALATE: none", "NOTES: green"),
		seam: say("seam", "make", "STATUS: COMPLETE", "ESCALATE: none", "NOTES: a seam"),
		green: { signal: "green" },
		diagnose: say("diagnose", "check", "DIAGNOSIS: production_logic", "NOTES: the body"),
		"final_review check": review(say, "final_review", "ACCEPTABLE"),
		"final_review simplify": say("final_review", "simplify", "VERDICT: ACCEPTABLE", "FINDINGS: none"),
		number_fixes: { signal: "numbered" },
		commit: { signal: "committed" },
		commit_todo: { signal: "committed" },
		settle: { signal: "all_done" },
		follow_ups: { signal: "filed" },
		keep_work: { signal: "committed" },
	};
}

/** One answer, then the usual one. */
const first = (say: Say, name: string, ...answers: Answer[]): Script => ({ [name]: [...answers, well(say)[name] as Answer] });
const incomplete = (say: Say): Answer => say("implement", "make", "STATUS: INCOMPLETE", "ESCALATE: test_design", "NOTES: stuck");
const blocked = (say: Say, type: string, key = "k"): Answer => review(say, type, "BLOCK", `[${key}] plan: it is wrong`);
const FINISHED = ["commit", "settle", "follow_ups", "commit_todo", "summary"];

export const ROWS: readonly Row[] = [
	{
		phase: "1",
		source: "sanity checks",
		signal: "bare repository, detached HEAD, no such issue, branch is the base",
		ids: "O-27",
		at: ["sanity", "unfit"],
		script: () => ({ sanity: { signal: "unfit" } }),
		next: { status: "refused" },
	},
	{
		phase: "1",
		source: "sanity checks",
		signal: "the working tree is dirty",
		ids: "O-28",
		at: ["sanity", "dirty"],
		script: () => ({ sanity: { signal: "dirty" } }),
		next: { status: "refused" },
	},
	{
		phase: "1",
		source: "sanity checks",
		signal: "an issue that it depends on is not Done",
		ids: "O-29",
		at: ["sanity", "waiting"],
		script: () => ({ sanity: { signal: "waiting" } }),
		next: { status: "refused" },
	},
	{
		phase: "2",
		source: "pm",
		signal: "issue not found",
		ids: "O-31",
		at: ["context", "missing"],
		script: (say) => ({ context: say("context", "pm", "STATUS: MISSING") }),
		next: { status: "refused" },
	},
	{
		phase: "2",
		source: "pm",
		signal: "the issue is Todo",
		ids: "O-32",
		at: ["begin", "begun"],
		script: () => ({}),
		next: ["begin", "plan"],
	},
	{
		phase: "3",
		source: "orchestrator",
		signal: "plan drafted",
		ids: "O-33",
		at: ["plan", "done"],
		script: () => ({}),
		next: ["plan", "review_plan", "review_plan"],
	},
	{
		phase: "4",
		source: "check",
		signal: "ACCEPTABLE",
		ids: "O-34 O-35",
		at: ["review_plan", "acceptable"],
		script: () => ({}),
		next: ["review_plan", "review_plan", "split"],
	},
	{
		phase: "4",
		source: "check",
		signal: "NEEDS WORK",
		ids: "O-36",
		at: ["review_plan", "needs_work"],
		script: (say) => first(say, "review_plan check", review(say, "review_plan", "NEEDS WORK", "[k] plan: say more")),
		next: ["review_plan", "review_plan", "revise_plan", "review_plan", "review_plan", "split"],
	},
	{
		phase: "4",
		source: "check",
		signal: "BLOCK",
		ids: "O-37",
		at: ["review_plan", "block"],
		script: (say) => first(say, "review_plan check", blocked(say, "review_plan")),
		next: ["review_plan", "review_plan", "revise_plan", "review_plan", "review_plan", "split"],
	},
	{
		phase: "4",
		source: "simplify",
		signal: "any verdict",
		ids: "O-35 O-38",
		at: ["review_plan"],
		script: (say) => ({
			"review_plan simplify": say("review_plan", "simplify", "VERDICT: BLOCK", "FINDINGS:\n- [less] plan: leave it out"),
		}),
		next: ["review_plan", "review_plan", "split"],
		kept: { advisories: 1 },
	},
	{
		phase: "4",
		source: "reviewers",
		signal: "the same finding twice",
		ids: "O-39",
		at: ["review_plan", "needs_work"],
		script: (say) => ({ "review_plan check": review(say, "review_plan", "NEEDS WORK", "[same] plan: say more") }),
		next: ["review_plan", "review_plan", "revise_plan", "review_plan", "review_plan", "split"],
		kept: { blockers: 1 },
	},
	{
		phase: "4",
		source: "reviewers",
		signal: "unresolved after three reviews",
		ids: "O-36 O-40 O-41",
		at: ["review_plan", "block"],
		script: (say) => ({ "review_plan check": ["a", "b", "c", "d"].map((k) => blocked(say, "review_plan", k)) }),
		next: ["review_plan", "review_plan", "revise_plan", "review_plan", "review_plan", "revise_plan", "review_plan", "review_plan", "split"],
		kept: { blockers: 1 },
		spent: 0,
	},
	{
		phase: "5",
		source: "orchestrator",
		signal: "tasks drafted",
		ids: "O-42",
		at: ["split", "done"],
		script: (say) => ({ split: well(say, 2)["split"] as Answer }),
		next: ["split", "review_split", "file_tasks"],
	},
	{
		phase: "5.5",
		source: "check",
		signal: "one task: no review",
		ids: "O-43",
		at: ["review_split"],
		script: () => ({}),
		next: ["split", "file_tasks", "tests"],
	},
	{
		phase: "5.5",
		source: "check",
		signal: "ACCEPTABLE, several tasks",
		ids: "O-44 O-46",
		at: ["review_split", "acceptable"],
		script: (say) => well(say, 3),
		next: ["review_split", "file_tasks", "tests"],
	},
	{
		phase: "5.5",
		source: "check",
		signal: "NEEDS WORK",
		ids: "O-47",
		at: ["review_split", "needs_work"],
		script: (say) => ({
			...well(say, 3),
			"review_split check": ["a", "b", "c"].map((k) => review(say, "review_split", "NEEDS WORK", `[${k}] split: overlap`)),
		}),
		next: ["review_split", "revise_split", "review_split", "file_tasks"],
		kept: { blockers: 1 },
	},
	{
		phase: "5.5",
		source: "check",
		signal: "BLOCK: the plan does not come apart",
		ids: "O-48 O-49",
		at: ["review_split", "block"],
		script: (say) => ({ ...well(say, 3), "review_split check": [blocked(say, "review_split"), review(say, "review_split", "ACCEPTABLE")] }),
		next: ["review_split", "rework_plan", "review_plan", "review_plan", "split", "review_split", "file_tasks"],
		spent: 1,
	},
	{
		phase: "5.5",
		source: "run",
		signal: "plan_rework is used up",
		ids: "O-50",
		at: ["review_split", "block"],
		script: (say) => ({ ...well(say, 3), "review_split check": blocked(say, "review_split") }),
		next: ["review_split", "rework_plan", "review_plan", "review_plan", "split", "review_split", "give_back", "keep_work", "failure"],
		spent: 1,
	},
	{
		phase: "6",
		source: "test",
		signal: "TESTS_READY",
		ids: "O-53",
		at: ["tests", "tests_ready"],
		script: () => ({}),
		next: ["tests", "red", "implement"],
	},
	{
		phase: "6",
		source: "test",
		signal: "TESTS_READY, to be looked at",
		ids: "O-54",
		at: ["tests", "escalate"],
		script: (say) => ({
			...first(say, "tests", say("tests", "test", "STATUS: TESTS_READY", "ESCALATE_TO_CHECK: true", "FAILURE: x")),
			light_review: review(say, "light_review", "NEEDS WORK", "[t] test: also negatives"),
		}),
		next: ["tests", "light_review", "tests", "red", "implement"],
	},
	{
		phase: "6",
		source: "test",
		signal: "NOT_TESTABLE",
		ids: "O-55",
		at: ["tests", "not_testable"],
		script: (say) => ({ tests: say("tests", "test", "STATUS: NOT_TESTABLE", "ESCALATE_TO_CHECK: false", "REASON: only words change") }),
		next: ["tests", "sign_off", "implement"],
	},
	{
		phase: "6",
		source: "test",
		signal: "NOT_TESTABLE: a seam is missing",
		ids: "O-56",
		at: ["tests", "missing_seam"],
		script: (say) =>
			first(
				say,
				"tests",
				say("tests", "test", "STATUS: NOT_TESTABLE", "ESCALATE_TO_CHECK: false", "REASON: missing_seam: no clock to hand in"),
			),
		next: ["tests", "seam", "tests", "red"],
	},
	{
		phase: "6",
		source: "test",
		signal: "BLOCKED",
		ids: "O-56",
		at: ["tests", "blocked"],
		script: (say) => ({
			tests: say("tests", "test", "STATUS: BLOCKED", "ESCALATE_TO_CHECK: false", "REASON: the spec contradicts itself"),
		}),
		next: ["tests", "revise_spec", "tests", "give_back", "keep_work", "failure"],
	},
	{
		phase: "6",
		source: "test on stubs",
		signal: "tests pass without reaching a todo!()",
		ids: "O-58",
		at: ["red", "structural_only"],
		script: () => ({ red: [{ signal: "structural_only" }, { signal: "red" }] }),
		next: ["red", "tests", "red", "implement"],
	},
	{
		phase: "7",
		source: "make",
		signal: "COMPLETE",
		ids: "O-60",
		at: ["implement", "complete"],
		script: () => ({}),
		next: ["implement", "green", "final_review", "final_review"],
	},
	{
		phase: "7",
		source: "make",
		signal: "INCOMPLETE, with any flag or none",
		ids: "O-61",
		at: ["implement", "incomplete"],
		script: (say) => first(say, "implement", incomplete(say)),
		next: ["implement", "diagnose", "implement", "green"],
	},
	{
		phase: "7",
		source: "check, diagnosis",
		signal: "test_design",
		ids: "O-62",
		at: ["diagnose", "test_design"],
		script: (say) => ({
			...first(say, "implement", incomplete(say)),
			diagnose: say("diagnose", "check", "DIAGNOSIS: test_design", "NOTES: other tests"),
		}),
		next: ["diagnose", "redesign_tests", "entry", "implement"],
	},
	{
		phase: "7",
		source: "check, diagnosis",
		signal: "production_logic",
		ids: "O-62",
		at: ["diagnose", "production_logic"],
		script: (say) => first(say, "implement", incomplete(say)),
		next: ["diagnose", "implement", "green"],
	},
	{
		phase: "7",
		source: "check, diagnosis",
		signal: "split_needed",
		ids: "O-63",
		at: ["diagnose", "split_needed"],
		script: (say) => ({ implement: incomplete(say), diagnose: say("diagnose", "check", "DIAGNOSIS: split_needed", "NOTES: two tasks") }),
		next: ["diagnose", "give_back", "keep_work", "failure"],
		spent: 0,
	},
	{
		phase: "7",
		source: "escalation",
		signal: "two diagnoses are used up",
		ids: "O-64",
		at: ["diagnose"],
		script: (say) => ({ implement: [incomplete(say), incomplete(say), incomplete(say), well(say)["implement"] as Answer] }),
		next: ["implement", "diagnose", "implement", "diagnose", "implement", "plan"],
		spent: 1,
	},
	{
		phase: "8",
		source: "check",
		signal: "ACCEPTABLE",
		ids: "O-65 O-66",
		at: ["final_review", "acceptable"],
		script: () => ({}),
		next: ["final_review", "final_review", ...FINISHED],
	},
	{
		phase: "8",
		source: "check",
		signal: "a finding about the code",
		ids: "O-67",
		at: ["final_review", "production"],
		script: (say) => first(say, "final_review check", review(say, "final_review", "BLOCK", "[k] production: it is off by one")),
		next: ["final_review", "final_review", "number_fixes", "write_fixes", "implement", "green", "final_review", "final_review", "commit"],
	},
	{
		phase: "8",
		source: "check",
		signal: "a finding about the tests",
		ids: "O-68 O-85",
		at: ["final_review", "test_level"],
		script: (say) => ({
			...first(say, "final_review check", review(say, "final_review", "BLOCK", "[k] test: it proves nothing")),
			diagnose: say("diagnose", "check", "DIAGNOSIS: test_design", "NOTES: other tests"),
		}),
		next: [
			"final_review",
			"final_review",
			"diagnose",
			"redesign_tests",
			"entry",
			"implement",
			"green",
			"final_review",
			"final_review",
			"commit",
		],
	},
	{
		phase: "8",
		source: "check",
		signal: "a finding about the plan",
		ids: "O-69",
		at: ["final_review", "plan_level"],
		script: (say) =>
			first(
				say,
				"final_review check",
				review(say, "final_review", "BLOCK", "[a] cosmetic: a typo", "[k] plan: it is wrong", "[b] production: off by one"),
			),
		next: ["final_review", "final_review", "plan", "review_plan"],
		spent: 1,
	},
	{
		phase: "8",
		source: "simplify",
		signal: "any verdict",
		ids: "O-70",
		at: ["final_review"],
		script: (say) => ({
			"final_review simplify": say("final_review", "simplify", "VERDICT: BLOCK", "FINDINGS:\n- [less] production: leave it out"),
		}),
		next: ["final_review", "final_review", "commit"],
		kept: { advisories: 1 },
	},
	{
		phase: "8",
		source: "reviewers",
		signal: "nothing but cosmetic findings",
		ids: "O-71",
		at: ["final_review", "cosmetic"],
		script: (say) => first(say, "final_review check", review(say, "final_review", "NEEDS WORK", "[k] cosmetic: a typo")),
		next: ["final_review", "final_review", "polish", "green", "final_review", "final_review", "commit"],
	},
	{
		phase: "8",
		source: "reviewers",
		signal: "an entry of the NOT_TESTABLE manifest does not hold",
		ids: "O-72",
		at: ["final_review", "questioned"],
		script: (say) => first(say, "final_review check", review(say, "final_review", "BLOCK", "[k] not_testable: it can be tested")),
		next: ["final_review", "final_review", "diagnose", "implement"],
	},
	{
		phase: "8",
		source: "review loop",
		signal: "the same finding twice",
		ids: "O-73",
		at: ["final_review", "production"],
		script: (say) => ({ "final_review check": review(say, "final_review", "BLOCK", "[same] production: off by one") }),
		next: ["final_review", "final_review", "number_fixes", "write_fixes", "implement", "green", "final_review", "final_review", "commit"],
		kept: { blockers: 1 },
	},
	{
		phase: "8",
		source: "review loop",
		signal: "three reviews are used up",
		ids: "O-73",
		at: ["final_review", "cosmetic"],
		script: (say) => ({
			"final_review check": ["a", "b", "c", "d"].map((k) => review(say, "final_review", "NEEDS WORK", `[${k}] cosmetic: a typo`)),
		}),
		next: [
			"final_review",
			"final_review",
			"polish",
			"green",
			"final_review",
			"final_review",
			"polish",
			"green",
			"final_review",
			"final_review",
			"commit",
		],
		kept: { blockers: 1 },
	},
	{
		phase: "9",
		source: "make",
		signal: "a bug that was there before",
		ids: "O-76",
		at: ["follow_ups"],
		script: (say) => ({
			implement: say("implement", "make", "STATUS: COMPLETE", "ESCALATE: none", "NOTES: x", "BUG: other() is off by one"),
		}),
		next: ["follow_ups", "commit_todo"],
		kept: { bugs: 1 },
	},
	{
		phase: "9",
		source: "orchestrator",
		signal: "a blocker that no review resolved",
		ids: "O-76",
		at: ["follow_ups"],
		script: (say) => ({ "final_review check": review(say, "final_review", "BLOCK", "[same] production: off by one") }),
		next: ["follow_ups", "commit_todo"],
		kept: { blockers: 1 },
	},
	{
		phase: "9",
		source: "test",
		signal: "a seam that would make it testable",
		ids: "O-76",
		at: ["follow_ups"],
		script: (say) => ({
			tests: say("tests", "test", "STATUS: TESTS_READY", "ESCALATE_TO_CHECK: false", "FAILURE: x", "FUTURE_SEAM: a clock to hand in"),
		}),
		next: ["follow_ups", "commit_todo"],
		kept: { future_seams: 1 },
	},
	{
		phase: "9",
		source: "simplify",
		signal: "advice that nobody acted on",
		ids: "O-77",
		at: ["follow_ups"],
		script: (say) => ({
			"review_plan simplify": say("review_plan", "simplify", "VERDICT: NEEDS WORK", "FINDINGS:\n- [less] plan: leave it out"),
		}),
		next: ["follow_ups", "commit_todo"],
		kept: { advisories: 1 },
	},
	{
		phase: "9",
		source: "orchestrator",
		signal: "all criteria are ticked",
		ids: "O-78",
		at: ["settle", "all_done"],
		script: () => ({}),
		next: ["settle", "follow_ups", "commit_todo", "summary"],
	},
	{
		phase: "9",
		source: "orchestrator",
		signal: "some criteria are open, sub-issues cover them",
		ids: "O-78",
		at: ["settle", "some_open"],
		script: () => ({ settle: { signal: "some_open" } }),
		next: ["settle", "follow_ups", "commit_todo", "summary"],
	},
	{
		phase: "run",
		source: "failure handler",
		signal: "the run cannot go on",
		ids: "O-80 O-81",
		at: ["implement", "auth"],
		script: () => ({ implement: { signal: "auth", error: "not logged in" } }),
		next: ["implement", "give_back", "keep_work", "failure"],
	},
];

/** The answer of the definition to a row, in words. */
export function routeOf(definition: Definition, { at: [name, signal], phase, source }: Row): string {
	const type = definition.types[name];
	if (!type) return "";
	if (phase === "run") return `${routeWords(type.routes[signal ?? ""] as Route)}; \`resume: ${definition.resume}\`, \`recovery\``;
	if (signal !== undefined) return `\`${name}\`: ${signal}: ${routeWords(type.routes[signal] as Route)}`;
	if (type.visits) return `\`${name}\`: visits ${type.visits.max}/${type.visits.per}; then: ${routeWords(type.visits.exhausted)}`;
	if (type.when.length > 0) return `\`${name}\`: when ${conditionWords(type.when)}`;
	if (type.members) return `\`${name}\`: ${type.members.map((m) => `${m.role} ${m.blocking ? "blocks" : "advises"}`).join(", ")}`;
	const entry = Object.entries(type.with ?? {}).find(([key]) => key === KEPT[source] || (source === "orchestrator" && key === "blockers"));
	return `\`${name}\`: ${entry?.[0] ?? ""}: ${entry?.[1] ?? ""}`;
}

const KEPT: Readonly<Record<string, string>> = { make: "bugs", test: "future_seams", simplify: "advisories" };

export const testName = (row: Row, index: number): string =>
	`row ${index + 1} (phase ${row.phase}) ${row.ids} ${row.source}: ${row.signal}`;

export const isFailure = (signal: string): boolean => (FAILURES as readonly string[]).includes(signal);
