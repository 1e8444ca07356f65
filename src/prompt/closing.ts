// What comes after the text of every step: what to leave behind, what people said to the run, what earlier steps left, and which checks
// were red before the run began. Every prompt gets it here, so that no prompt file can forget it.
import { RUN_SCOPE, type RunState, type Scope, type Step } from "../core/model.ts";
import { own } from "../core/query.ts";
import { remarksIn } from "../core/remarks-in-notes.ts";
import { templateNames } from "../core/template.ts";
import { quoted } from "./quoted.ts";

const COMMITS =
	"Before you end: commit what belongs to the work, and remove the rest (logs, dumps, caches, files that you made to try something out). What you leave uncommitted is named to the user, and may be put aside.";
const DOES_NOT_COMMIT =
	"Before you end: remove what does not belong to the work (logs, dumps, caches, files that you made to try something out). pawl commits the rest.";

export interface ClosingRequest {
	readonly state: RunState;
	readonly scope: Scope;
	readonly step: Step;
	readonly role: string | undefined;
	/** The prompt file and its frame, before anything is filled in: what these show already is not repeated. */
	readonly template: string;
	/** What people said while the run was under way. */
	readonly steer: string;
}

/** Empty if there is nothing to add. */
export function closing({ state, scope, step, role, template, steer }: ClosingRequest): string {
	const shown = templateNames(template);
	const parts = [
		...toLeaveBehind(state, step, role),
		...(steer === "" || shown.includes("steer")
			? []
			: [
					`## From the person who watches the run\n\nThis was said while the run was under way. It counts.\n\n${quoted("from_the_user", steer)}`,
				]),
		...(shown.includes("notes") ? [] : leftBefore(scope)),
		...redFromTheStart(state),
	];
	return parts.length === 0 ? "" : `\n\n${parts.join("\n\n")}`;
}

function toLeaveBehind({ definition }: RunState, step: Step, role: string | undefined): string[] {
	if ((own(definition.types, step.type)?.writes ?? "none") === "none") return [];
	const commits = own(definition.roles, role ?? "")?.can.includes("commit") ?? false;
	return [`## What you leave behind\n\n${commits ? COMMITS : DOES_NOT_COMMIT}`];
}

/** Uncommitted files of earlier steps, and what pawl did with them. */
function leftBefore(scope: Scope): string[] {
	const lines = scope.steps.filter(({ status }) => status === "completed").flatMap(({ notes }) => remarksIn(notes));
	const whose = scope.id === RUN_SCOPE ? "this run" : scope.id;
	return lines.length === 0 ? [] : [`## What earlier steps of ${whose} left uncommitted\n\n${quoted("left", lines.slice(-10).join("\n"))}`];
}

/** These checks failed before the agent began, and have to pass in the end. */
const redFromTheStart = ({ input }: RunState): string[] =>
	input["baseline"] === undefined
		? []
		: [
				`## Checks that failed before this run began\n\nThese failed on the commit that the work starts from. What is delivered has to pass them.\n\n${quoted("checks", input["baseline"])}`,
			];
