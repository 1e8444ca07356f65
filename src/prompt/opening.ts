// What comes first in a prompt: what fails and has to be repaired, why the step runs again, and what people said to the run. Every prompt
// gets it here, so that no prompt file can forget it.
import { failureText, failureWithOutput } from "../core/check/failure-text.ts";
import { failingPart } from "../core/failing-part.ts";
import type { FailingCheck, RunState, Scope, Step } from "../core/model.ts";
import { fieldOf } from "../core/query.ts";
import { templateNames } from "../core/template.ts";
import { quoted } from "../core/text/quoted.ts";

const SHOWN = 6000;

export interface OpeningRequest {
	readonly state: RunState;
	readonly scope: Scope;
	readonly step: Step;
	/** The prompt file and its frame, before anything is filled in: what these say themselves is not repeated. */
	readonly template: string;
	/** Diff files of earlier attempts whose work was put back. */
	readonly diffs: readonly string[];
	/** What people said while the run was under way. */
	readonly steer: string;
	/** Why it runs again, if the format of the workflow says it itself. */
	readonly why?: string | undefined;
}

/** Empty if there is nothing to repair and nothing to explain. */
export function opening({ state, scope, step, template, diffs, steer, why }: OpeningRequest): string {
	const { definition } = state;
	const shown = templateNames(template);
	const reason = withWorkSince(withoutShown(why ?? reasonOf(state, scope, step, shown), checksFor(state, scope, step)), scope);
	const parts = [
		...failing(state, scope, step),
		...(reason === "" ? [] : [`## Why this step runs again\n\n${quoted("reason", reason)}`]),
		...reportToMend(step, definition.types[step.type]?.writes !== "none"),
		...(diffs.length === 0
			? []
			: [`What an earlier attempt had done was put back. Use what is right of its diff: ${diffs.map((file) => `\`${file}\``).join(", ")}`]),
		...(steer === "" || shown.includes("steer")
			? []
			: [
					`## From the person who watches the run\n\nIt was said while the run was under way, and it counts.\n\n${quoted("from_the_user", steer)}`,
				]),
	];
	return parts.length === 0 ? "" : `${parts.join("\n\n")}\n\n`;
}

/** Whoever mends a report has to see it: otherwise the work is done once more, and perhaps ends otherwise. */
const reportToMend = ({ unread, feedback, putBack, unchanged }: Step, writes: boolean): string[] =>
	!unread || feedback === null
		? []
		: [
				`## The report of the attempt before this one\n\nIt did not count. ${whatIsLeft(writes && !unchanged, putBack === true)}, and end with the whole report, mended.\n\n${quoted("earlier_report", unread)}`,
			];

/** Of work that is gone there is nothing to check: it has to be done again. */
const whatIsLeft = (changed: boolean, putBack: boolean): string =>
	changed && putBack
		? "What that attempt had changed is gone from the tree: do that again"
		: `${changed ? "What that attempt changed is still in the tree. " : ""}Check what still holds instead of beginning anew`;

/** In a frame with {{surroundings}} the routes decide what a step is told, because its own text may say it already. */
function reasonOf(state: RunState, scope: Scope, { type, feedback, retried }: Step, shown: readonly string[]): string {
	const routed = shown.includes("surroundings");
	// There {{feedback}} is what a step sent back, not why this one runs again.
	if (retried && (routed || !shown.includes("feedback"))) return feedback ?? "";
	if (routed) return fieldOf(state, scope, `${type}.reason`) ?? "";
	return shown.includes("feedback") ? "" : (feedback ?? "");
}

/** What a step was put in for may be repaired by now: whoever reads the reason must not repair it once more. A failed check says so itself. */
function withWorkSince(reason: string, { steps, failing = [] }: Scope): string {
	if (reason === "" || failing.length > 0) return reason;
	const since = steps.filter((one) => one.status === "completed" && one.description.endsWith(`(after: ${reason})`)).at(-1);
	return since === undefined ? reason : `${reason}. Since then ${since.id} (${since.type}) has worked on it.`;
}

/** What the reason says of checks that are shown above is left out; who ran into them goes with it if nothing else is left. */
function withoutShown(reason: string, checks: readonly FailingCheck[]): string {
	const rest = checks.reduce((text, check) => text.replace(failureText(check), "").replace(failureWithOutput(check).trim(), ""), reason);
	if (rest === reason) return reason;
	const said = rest.replace(/^[;\s]+|[;:\s]+$/g, "").replaceAll(/(?:;\s*){2,}/g, "; ");
	return /^\w*$/.test(said) ? "" : said;
}

const AFTER = / \(after: ([\s\S]*)\)$/;

/** The task of the step, without what its reason says of checks that stand above it. */
export const taskWithoutShown = (state: RunState, scope: Scope, step: Step): string =>
	step.description.replace(AFTER, (_, reason: string) => {
		const rest = withoutShown(reason, checksFor(state, scope, step));
		return rest === "" ? "" : ` (after: ${rest})`;
	});

/** Whoever may not write is told only of the checks of its own step. */
function checksFor({ definition }: RunState, scope: Scope, step: Step): readonly FailingCheck[] {
	const type = definition.types[step.type];
	// Whoever repairs in a loop has a prompt of its own; those who get this one look at the work of others.
	if (type?.kind === "loop") return [];
	const readsOnly = type?.writes === "none";
	return (scope.failing ?? []).filter((check) => !readsOnly || check.step === `${step.id} (${step.type})`);
}

/** A check whose output is still true comes with it. Once somebody has worked on it, only the check is named. */
function failing(state: RunState, scope: Scope, step: Step): string[] {
	// The name of a step of pawl's own, such as `pr.publish.checks`, tells an agent nothing.
	const isOwn = (name: string): boolean => state.definition.types[/\((\S+)\)$/.exec(name)?.[1] ?? ""]?.internal === true;
	const checks = checksFor(state, scope, step).map((check) => (isOwn(check.step) ? { ...check, step: "" } : check));
	const now = checks.filter(({ since, unsaid }) => since === undefined && !unsaid);
	// Nothing is known to be wrong with the work.
	const unsaid = checks.filter((check) => check.since === undefined && check.unsaid);
	const later = checks.filter(({ since }) => since !== undefined);
	return [
		...(now.length === 0
			? []
			: [
					`## What fails now\n\nThis comes first: it has to pass before the work can be delivered.\n\n${alike(now).map(failure).join("\n\n")}`,
				]),
		...(unsaid.length === 0 ? [] : [`${UNSAID}\n\n${unsaid.map((check) => `- ${wordOf(check)}`).join("\n")}`]),
		...later.map(
			(check) =>
				`${check.said ? wordOf(check) : `${howItFailed(check)}.`} Since then ${check.since} has worked on it; nobody has run the check again yet.`,
		),
	];
}

const UNSAID =
	"## What the report before yours left out\n\nThe work of that attempt is in the tree. If nothing of it is missing, change nothing, and end with the whole report.";

/** A criterion and a check of the repository may run the same command: what it printed is shown once. */
function alike(checks: readonly FailingCheck[]): FailingCheck[][] {
	const groups: FailingCheck[][] = [];
	for (const check of checks) {
		const group = groups.find(
			([first]) => !check.said && !first?.said && first?.command === check.command && first.output === check.output,
		);
		if (group) group.push(check);
		else groups.push([check]);
	}
	return groups;
}

function failure(checks: readonly FailingCheck[]): string {
	const [first] = checks;
	if (first === undefined) return "";
	if (first.said) return wordOf(first);
	const output = failingPart(first.output, SHOWN);
	if (output.trim() === "") return `${howItFailed(first, checks)} and printed nothing.`;
	return `${howItFailed(first, checks)}. The part of its output that says why:\n\n${quoted("output", output)}`;
}

/** Nothing was run. */
const wordOf = ({ name, output, step }: FailingCheck): string =>
	`\`${name}\`${step === "" ? "" : `, after ${step}`}: ${failingPart(output, SHOWN)}.`;

function howItFailed(check: FailingCheck, all: readonly FailingCheck[] = [check]): string {
	const { command, exitCode, step } = check;
	const names = all.map(({ name }) => `\`${name}\``).join(" and ");
	// A step whose id is its type is named once.
	return `${step === "" ? "" : `After ${step.replace(/^(\S+) \(\1\)$/, "$1")} `}pawl ran the check${all.length > 1 ? "s" : ""} ${names} (\`${command}\`): ${exitCode === null ? "it did not end" : `it exited ${exitCode}`}`;
}
