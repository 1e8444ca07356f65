// What a row of the routing matrix is, how roles say what it is about, and a run in which all goes well.
import { type Definition, FAILURES, type Route } from "../../src/core/definition.ts";
import { readReport } from "../../src/core/report/report.ts";
import type { Answer, Script } from "../../src/core/testing/world.suite.ts";
import { conditionWords, routeWords } from "../../src/definition/view/words.ts";

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

export const review = (say: Say, type: string, verdict: string, ...findings: string[]): Answer =>
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
export const first = (say: Say, name: string, ...answers: Answer[]): Script => ({ [name]: [...answers, well(say)[name] as Answer] });
export const incomplete = (say: Say): Answer => say("implement", "make", "STATUS: INCOMPLETE", "ESCALATE: test_design", "NOTES: stuck");
export const blocked = (say: Say, type: string, key = "k"): Answer => review(say, type, "BLOCK", `[${key}] plan: ${key} is wrong`);
export const FINISHED = ["final_checks", "commit", "settle", "follow_ups", "commit_todo", "summary"];

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
