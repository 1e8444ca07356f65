// The text of a pull request: what an agent wrote for it, else what the run itself knows, and always the list of stories.
import { withoutMiddle } from "../../core/cut.ts";
import { pullRequestBody, pullRequestTitle } from "../../core/mark.ts";
import { RUN_SCOPE, type RunState, type Scope, type Story } from "../../core/model.ts";
import { own } from "../../core/query.ts";
import { recordedByHeading } from "../../core/recorded.ts";
import { spokenIn } from "../../core/report/remarks.ts";
import { allChanges } from "../../core/report/said-changes.ts";
import type { DeliveryProof } from "../../format.ts";

export const titleOf = (state: RunState): string =>
	oneLine(plain(pullRequestTitle(state) ?? "")) || oneLine(ofIssues(state) || state.title);

/** A list of issues has no title of its own. */
const ofIssues = ({ input, stories }: RunState): string =>
	input?.["issues"] === undefined
		? ""
		: stories
				.filter(isOfThisRun)
				.map(({ title }) => title)
				.join("; ");

/** A title has no markup. */
const plain = (text: string): string =>
	text
		.replace(/^\s*#+\s+/, "")
		.replace(/[*`]+/g, "")
		.replace(/^["']([^"']*)["']$/, "$1");

/** Forges take about 64,000 characters; what is in the middle of a longer text goes. */
const MOST_BYTES = 60_000;

/** `proof`: what shows that the work is done, if that is known. */
export function bodyOf(state: RunState, proof: DeliveryProof | null = null): string {
	const { fields } = state.root;
	const part = (heading: string, text: string | undefined): string => (text?.trim() ? `## ${heading}\n\n${text.trim()}` : "");
	const stories = state.stories.filter(isOfThisRun).map((s) => {
		const criteria = proof?.criteria.get(s.id) ?? s.criteria.map((c) => `- ${oneLine(c)}`);
		return `- ${s.id}: ${oneLine(s.title)}\n${criteria.map((line) => `  ${line}`).join("\n")}`;
	});
	const written = pullRequestBody(state) ?? "";
	const text = [
		closingLines(state),
		written === ""
			? part(
					"Task",
					state.input["issues"] !== undefined
						? ""
						: state.input["issue"] === undefined
							? (state.input["request"] ?? state.title)
							: state.title,
				)
			: written,
		part("Stories", stories.join("\n")),
		part("Acceptance criteria", proof?.criteria.get(RUN_SCOPE)?.join("\n")),
		...[...recordedByHeading(state)].map(([heading, texts]) =>
			part(capital(heading), texts.map((text) => `- ${oneLine(text)}`).join("\n")),
		),
		...(written === "" ? [] : [part("After this text was written", doneSince(state))]),
		...(written === "" ? [part("Changes", changesOf(state)), part("Tests", fields["results"] ?? fields["tests"])] : []),
		part("Checks", proof?.checks.join("\n")),
		`Made by pawl, run ${state.id}.${proof === null ? "" : ` ${proof.cost}`}`,
	];
	return withoutMiddle(`${text.filter((one) => one !== "").join("\n\n")}\n`, MOST_BYTES, "");
}

/** Forges close an issue with the merge of a request that says so. */
function closingLines({ stories, input }: RunState): string {
	const done = stories.flatMap((story) =>
		story.issue !== undefined && isOfThisRun(story) && story.status === "completed" ? [story.issue] : [],
	);
	const whole = stories.some((story) => story.issue !== undefined) || input["issue"] === undefined ? [] : [Number(input["issue"])];
	return [...done, ...whole].map((issue) => `Closes #${issue}`).join("\n");
}

/** Not one that was done before the run began. */
const isOfThisRun = ({ status, claimedAt }: Pick<Story, "status" | "claimedAt">): boolean => status !== "completed" || claimedAt !== null;

/** Of every story, then of what was repaired after them: the run's own field has only what was said last. */
function changesOf({ root, stories }: RunState): string {
	const last = allChanges(root) || lastOf(root);
	const told = stories
		.map(({ id, scope }) => ({ id, text: allChanges(scope) || lastOf(scope) || saidLast(scope), last: lastOf(scope) }))
		.filter(({ text }) => text !== "");
	const lines = told.map(({ id, text }) => `- ${text.startsWith(`${id}:`) ? "" : `${id}: `}${text.replaceAll("\n", "\n  ")}`);
	if (lines.length === 0 || told.some((one) => one.last === last)) return lines.join("\n") || last;
	return [...lines, ...(last === "" ? [] : [`- afterwards: ${last.replaceAll("\n", "\n  ")}`])].join("\n");
}

const lastOf = ({ fields }: Scope): string => (fields["changes"] ?? "").trim();

/** Where reports have no such field: what was said last of the work. */
const saidLast = ({ steps = [] }: Partial<Pick<Scope, "steps">>): string =>
	spokenIn(steps.findLast(({ status, notes, doneBy }) => status === "completed" && doneBy !== undefined && notes)?.notes ?? "", SAID_CHARS);

/** What was asked for by those who looked at the request, and what came of it, also if that was nothing: the text knows nothing of it. */
function doneSince({ root, definition }: RunState): string {
	const written = root.steps.findIndex(({ type }) => own(definition.types, type)?.action === "forge.pull-request");
	const since = written < 0 ? [] : root.steps.slice(written + 1).filter((step) => step.sender !== null && step.status === "completed");
	return since.map((step) => `- ${step.type}: ${spokenIn(step.notes ?? "", SAID_CHARS) || "(it said nothing)"}`).join("\n");
}

const SAID_CHARS = 1000;

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 200);
