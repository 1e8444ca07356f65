// What pawl itself does to the tracker in a run on an issue: starts the issue, files sub-issues, ticks criteria and closes it, files
// follow-ups, or returns it to Todo. Each change is written immediately to the issue, its parent and the README, and committed at the end.
import { join } from "node:path";
import { headOf } from "../../core/cut.ts";
import { JUDGED, own } from "../../core/query.ts";
import type { Action, StepContext } from "../../format.ts";
import { fieldOf, runDirOf, specsOf } from "./artifacts/context.ts";
import { openFolder, readArtifact, writeMarker } from "./artifacts/folder.ts";
import { unfit } from "./preconditions.ts";
import { namedCriteria } from "./tracker/issue.ts";
import { parentQuestion, settleParent } from "./tracker/parent.ts";
import { seedBody } from "./tracker/seed-body.ts";
import {
	addComment,
	fileIssues,
	type IssueRequest,
	listIssues,
	readIssue,
	setStatus,
	tickCriteria,
	withdrawIssues,
} from "./tracker/tracker.ts";

const todoOf = ({ workspace }: StepContext): string => join(workspace.path, "TODO");
const idOf = ({ state }: StepContext): string => state.input["issue_id"] ?? "";

/** Commits, because uncommitted changes would be lost at the next rollback. */
const commitTracker = (context: StepContext): Promise<string | null> => context.workspace.commitAll(`pawl: ${context.step.type}\n`);

/** Signals `fit`, `unfit`, `dirty`, `waiting`, `unwritable`. */
export const preconditions: Action = async (context) => {
	const { state, workspace } = context;
	const { base_branch: base = "", repository: root = "" } = state.input;
	const wrong = await unfit({ tree: workspace.path, root, issue: idOf(context), base: base === "" ? null : base, run: state.id });
	if (wrong !== null) return { signal: wrong.signal, error: wrong.problem };
	const problem = openFolder(runDirOf(context));
	if (problem !== null) return { signal: "unwritable", error: problem };
	writeMarker(runDirOf(context), { run: state.id, issue: idOf(context), status: "open" });
	return { signal: "fit" };
};

/** Signals `begun`, `in_progress`, `finished`. */
export const begin: Action = async (context) => {
	const issue = readIssue(todoOf(context), idOf(context));
	if ("problem" in issue) return { signal: "finished", error: issue.problem };
	if (issue.status === "Done") return { signal: "finished", error: `${issue.id} is Done already` };
	writeMarker(runDirOf(context), { run: context.state.id, issue: issue.id, status: "working" });
	const set = await setStatus(todoOf(context), issue.id, "In Progress");
	if ("problem" in set) return { signal: "agent_error", error: set.problem };
	await commitTracker(context);
	return {
		signal: issue.status === "Todo" ? "begun" : "in_progress",
		notes: `${issue.id} is In Progress`,
		facts: { parent_criteria: parentQuestion(todoOf(context), issue) },
	};
};

/** Tasks from 2 on become issues; those that this run filed for an earlier split are updated or withdrawn. */
export const fileTasks: Action = async (context) => {
	const { state, workspace } = context;
	const count = Number(fieldOf(context, "tasks")) || 1;
	const names = Array.from({ length: Math.max(0, count - 1) }, (_, i) => `task-${i + 2}.md`);
	const plan = readArtifact(runDirOf(context), "plan.md") ?? "";
	const requests = specsOf(context, names).map(({ name, spec }): IssueRequest => {
		const key = name.replace(/\.md$/, "");
		const criteria = spec.criteria.length > 0 ? spec.criteria : [`All that ${spec.title || key} describes holds`];
		const body = seedBody({
			description: spec.description,
			criteria,
			codeContext: `${spec.codeContext}\n\nFiles: ${spec.files.join(", ")}${spec.testCommand === null ? "" : `\nTest command: \`${spec.testCommand}\``}`,
			contracts: spec.contracts,
			plan: planSlice(plan, spec.files),
			testDesign: spec.testDesign,
			branch: workspace.branch,
			parent: idOf(context),
		});
		return {
			key,
			title: spec.title.replace(/^task\s*\d+\s*[:.\-–—]*\s*/i, "") || key,
			label: "split-from-run",
			// Task 1 is done by this very run.
			dependsOn: spec.dependsOn.map((n) => `task-${n}`).filter((other) => names.includes(`${other}.md`)),
			body,
		};
	});
	const filed = await fileIssues(todoOf(context), { parent: idOf(context), run: state.id, issues: requests, replaces: "task-" });
	if ("problem" in filed) return { signal: "refused", error: filed.problem };
	await commitTracker(context);
	const ids = Object.values(filed.ids);
	return {
		signal: ids.length === 0 ? nothingFiled(context) : "filed",
		notes: ids.length === 0 ? "nothing to file" : `filed ${ids.join(", ")}`,
		facts: { filed_tasks: ids.join(" "), [JUDGED]: count > 1 ? ownCriteria(context) : "" },
	};
};

/** Those of the issue that the task of this run has to meet: what is said about the task is said about them. */
function ownCriteria(context: StepContext): string {
	const issue = readIssue(todoOf(context), idOf(context));
	const [task] = specsOf(context, ["task-1.md"]);
	const met = "problem" in issue ? [] : namedCriteria(issue, task?.spec.criteria ?? []);
	return met.map(({ text }) => text.replaceAll(/\s+/g, " ")).join("\n");
}

/** Workflows that know no other signal than `filed` get that one. */
export const nothingFiled = ({ state, step }: StepContext): string =>
	own(state.definition.types[step.type]?.routes ?? {}, "none") ? "none" : "filed";

const MOST_PLAN = 16_000;

/** The sections of the plan that name one of these files; the whole plan if none does. */
export function planSlice(plan: string, files: readonly string[]): string {
	const sections = plan.split(/^(?=## )/m);
	const about = sections.filter(
		(text, i) => i > 0 && (/^## *(?:goal|approach|test)/i.test(text) || files.some((file) => text.includes(file))),
	);
	return (about.length > 0 ? about.join("\n") : plan).trim().slice(0, MOST_PLAN);
}

/** Signals `all_done`, `some_open`, `uncovered`: what the criteria say about the issue. */
export const settle: Action = async (context) => {
	const dir = todoOf(context);
	const id = idOf(context);
	const [task] = specsOf(context, ["task-1.md"]);
	const which = (Number(fieldOf(context, "tasks")) || 1) > 1 ? (task?.spec.criteria ?? []) : "all";
	const ticked = await tickCriteria(dir, id, which);
	if ("problem" in ticked) return { signal: "agent_error", error: ticked.problem };
	const open = ticked.criteria.filter((c) => !c.done).map((c) => c.text);
	const all = listIssues(dir);
	const below = "problem" in all ? [] : all.issues.filter((other) => other.parent === id && other.status !== "Done");
	// What a run split off is part of the issue, whatever the criteria say; a bug that was found on the way is not.
	const parts = below.filter(({ labels }) => labels.includes("split-from-run")).map((other) => other.id);
	const set = await setStatus(dir, id, open.length === 0 && parts.length === 0 ? "Done" : "In Progress");
	if ("problem" in set) return { signal: "agent_error", error: set.problem };
	const facts = { issue_status: set.status ?? "", open_criteria: open.join("\n") };
	// A review that was given up says nothing about the parent.
	if (set.status === "Done" && fieldOf(context, "parent_criteria") !== "" && fieldOf(context, "accepted") === "yes") {
		const parent = await settleParent(dir, set, fieldOf(context, "criteria"));
		if ("problem" in parent) return { signal: "agent_error", error: parent.problem };
	}
	await commitTracker(context);
	const signal = set.status === "Done" ? "all_done" : below.length > 0 ? "some_open" : "uncovered";
	const waits = parts.length === 0 ? "" : `; still to be done: ${parts.join(", ")}`;
	return { signal, notes: `${id} is ${set.status}${open.length > 0 ? `; open: ${open.join("; ")}` : ""}${waits}`, facts };
};

/** For the failure handler: withdraws what this run filed and returns the issue to Todo, with the reason. */
export const giveBack: Action = async (context) => {
	const dir = todoOf(context);
	const withdrawn = await withdrawIssues(dir, context.state.id);
	const set = await setStatus(dir, idOf(context), "Todo");
	const cause = causeOf(context, MOST_IN_TRACKER);
	const said = "problem" in set ? set : await addComment(dir, idOf(context), cause, context.now());
	const wrong = [withdrawn, set, said].flatMap((one) => ("problem" in one ? [one.problem] : []));
	return wrong.length > 0 ? { signal: "refused", error: wrong.join("; ") } : { signal: "done", notes: cause };
};

/** Bytes of each part of a comment: the output of a test run is no text for a tracker. The summary has all of it. */
const MOST_IN_TRACKER = 1500;

/** Why the run was given up, in the words of its agents; each part at most so long. What the reason says already is not said again. */
export function causeOf(context: StepContext, most = Number.POSITIVE_INFINITY): string {
	const { state } = context;
	const reason = state.reason ?? "no reason is known";
	const spent = Object.entries(state.budgets).filter(([name, b]) => state.definition.budgets[name]?.unit === "count" && b.spent >= b.limit);
	const cut = (text: string): string => {
		const head = headOf(text, most);
		return head.length === text.length ? text : `${head}… (all of it is in the summary of the run)`;
	};
	const told = (title: string, field: string): string[] => {
		const text = fieldOf(context, field).trim();
		return text === "" || reason.includes(text) ? [] : [`${title}: ${cut(text)}`];
	};
	const parts = [
		`pawl gave up run ${state.id} on ${context.workspace.branch}: ${cut(reason)}.`,
		...spent.map(
			([name, b]) =>
				`${name} is used up (${b.spent} of ${b.limit}); the signal that came then was ${state.reason?.split(":")[0] ?? "unknown"}.`,
		),
		...told("Diagnosis", "diagnosis"),
		...told("Last findings", "findings"),
	];
	return parts.join("\n");
}
