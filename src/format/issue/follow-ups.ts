// The action `issue.follow-ups`: what a run leaves over becomes issues: older bugs, blockers that no review resolved, seams, criteria that
// nothing covers. Two reports about one line of one file are one issue.
import { join } from "node:path";
import type { Action, StepContext } from "../../format.ts";
import { nothingFiled } from "./actions.ts";
import { fieldOf, withOf } from "./artifacts/context.ts";
import { FILED_LABELS, type FiledLabel, fileIssues, type IssueRequest } from "./tracker/tracker.ts";

interface Entry {
	readonly key: string;
	readonly label: FiledLabel;
	readonly text: string;
	readonly criteria: readonly string[];
}

/** Files what was recorded since the plan was made; `with` says which records, and with which label. */
export const followUps: Action = async (context) => {
	const { state, workspace } = context;
	const parent = state.input["issue_id"] ?? "";
	const labels = Object.entries(withOf(context)).filter((entry): entry is [string, FiledLabel] =>
		(FILED_LABELS as readonly string[]).includes(entry[1]),
	);
	const entries = labels.flatMap(([name, label]) =>
		name === "open_criteria" ? openCriteria(context, label, parent) : recorded(context, name, label),
	);
	const requests = entries.map(
		({ key, label, text, criteria }): IssueRequest => ({
			key,
			label,
			title: titleOf(text),
			dependsOn: [],
			body: `${text.trim()}\n\n## Acceptance criteria\n\n${criteria.map((one) => `- [ ] ${one}`).join("\n")}\n\nDiscovered during run on \`${workspace.branch}\` for parent issue \`${parent}\`.`,
		}),
	);
	if (requests.length === 0) return { signal: nothingFiled(context), notes: "nothing to file", facts: { filed_follow_ups: "" } };
	const filed = await fileIssues(join(workspace.path, "TODO"), { parent, run: state.id, issues: requests });
	if ("problem" in filed) return { signal: "agent_error", error: filed.problem };
	await workspace.commitAll(`pawl: ${context.step.type}\n`);
	const lines = requests.map((r) => `${filed.ids[r.key]} (${r.label}): ${r.title}`);
	return { signal: "filed", notes: lines.join("\n"), facts: { filed_follow_ups: lines.join("\n") } };
};

/** What must hold for such an issue to be done: its text says what is wrong, which is no criterion. */
const CRITERIA: Readonly<Record<string, string>> = {
	bug: "What is described above no longer happens, and a test shows it",
	followup: "What the finding above asks for is done",
	"tech-debt": "What is described above can be tested, and a test does it",
};

function recorded(context: StepContext, name: string, label: FiledLabel): Entry[] {
	const since = Number(fieldOf(context, "kept_before")) || 0;
	const texts = context.state.root.kept
		// A bug that was there before has nothing to do with the plan.
		.slice(name === "bugs" ? 0 : since)
		.filter((k) => k.name === name && !/^\s*(?:none|n\/a|-)?\.?\s*$/i.test(k.text))
		.map((k) => k.text.trim());
	return together([...new Set(texts)]).map((text, i) => ({
		key: `follow-${name}-${i + 1}`,
		label,
		text,
		criteria: [CRITERIA[label] ?? "What is described above is done"],
	}));
}

const LINE = /(?:[\p{L}\p{N}_.@-]+\/)*[\p{L}\p{N}_@-][\p{L}\p{N}_.@-]*\.[A-Za-z][A-Za-z0-9]{0,7}:\d{1,7}/u;

/** Texts about the same line of the same file become one. */
function together(texts: readonly string[]): string[] {
	const found = new Map<string, string[]>();
	for (const text of texts) {
		const line = LINE.exec(text.slice(0, 4000))?.[0].replace(/^\.\//, "") ?? text;
		found.set(line, [...(found.get(line) ?? []), text]);
	}
	return [...found.values()].map(([first = "", ...more]) => [first, ...more.map((text) => `Also reported as: ${text}`)].join("\n\n"));
}

function openCriteria(context: StepContext, label: FiledLabel, parent: string): Entry[] {
	const criteria = fieldOf(context, "open_criteria")
		.split("\n")
		.filter((text) => text !== "");
	if (criteria.length === 0 || fieldOf(context, "uncovered") !== "yes") return [];
	return [
		{
			key: "follow-open_criteria-1",
			label,
			text: `What is still open of ${parent}:\n\n${criteria.map((text) => `- ${text}`).join("\n")}`,
			criteria,
		},
	];
}

const LONGEST_TITLE = 90;

/** The first sentence, without its key; a long one ends at a word. */
function titleOf(text: string): string {
	const line = (text.split("\n\n")[0] ?? "")
		.replace(/^\[[^\]]*\]\s*/, "")
		.replace(/\s+/g, " ")
		.trim();
	const sentence = /^.{10,}?[.;](?=\s)/.exec(line)?.[0].slice(0, -1) ?? line;
	if (sentence.length <= LONGEST_TITLE) return sentence;
	return `${sentence.slice(0, LONGEST_TITLE - 1).replace(/\s+\S*$/, "")}…`;
}
