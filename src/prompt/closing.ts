// What comes after the text of every step: what to leave behind, what earlier steps left, and which checks were red before the run began.
// Every prompt gets it here, so that no prompt file can forget it.
import { commitStyleText } from "../core/commit-style.ts";
import { RUN_SCOPE, type RunState, type Scope, type Step } from "../core/model.ts";
import { hasStoryTrees, own } from "../core/query.ts";
import { remarksIn } from "../core/report/remarks.ts";
import { startedWith } from "../core/started-with.ts";
import { templateNames } from "../core/template.ts";
import { quoted } from "../core/text/quoted.ts";

const COMMITS =
	"Commit what belongs to the work and remove the rest. pawl commits what you leave, but puts aside logs, caches, tmp files, `.env` and keys; the user is told.";
const DOES_NOT_COMMIT =
	"Remove what does not belong to the work. Do not commit: pawl commits what is to be committed, and puts aside logs, caches, tmp files, `.env` and keys.";

/** A prompt file may have this section itself, for a role that only writes papers about the work. */
const HEADING = "## Before you end";

export interface ClosingRequest {
	readonly state: RunState;
	readonly scope: Scope;
	readonly step: Step;
	readonly role: string | undefined;
	/** The prompt file and its frame, before anything is filled in: what these show already is not repeated. */
	readonly template: string;
}

/** Empty if there is nothing to add. */
export function closing({ state, scope, step, role, template }: ClosingRequest): string {
	const parts = [
		...(template.includes(HEADING) ? [] : toLeaveBehind(state, step, role)),
		...(templateNames(template).includes("notes") ? [] : leftBefore(scope)),
		...redFromTheStart(state, scope, step, role),
	];
	return parts.length === 0 ? "" : `\n\n${parts.join("\n\n")}`;
}

function toLeaveBehind(state: RunState, step: Step, role: string | undefined): string[] {
	const { definition } = state;
	if ((own(definition.types, step.type)?.writes ?? "none") === "none") return [];
	const who = own(definition.roles, role ?? "");
	// Who runs nothing leaves no litter, and what it may write its task names.
	if (who?.bounded === true && who.can.length === 0) return [];
	const commits = who?.can.includes("commit") ?? false;
	const { commitStyle } = startedWith(state);
	const style =
		!commits || commitStyle === null ? "" : ` ${commitStyleText(commitStyle)} A subject that your task prescribes comes before this.`;
	return [`${HEADING}\n\n${commits ? COMMITS : DOES_NOT_COMMIT}${style}`];
}

const MOST_LEFT = 10;

/** Uncommitted files of earlier steps, and what pawl did with them. */
function leftBefore(scope: Scope): string[] {
	const lines: string[] = [];
	// Only the last ones: there may be thousands of steps.
	for (let at = scope.steps.length - 1; at >= 0 && lines.length < MOST_LEFT; at--) {
		const { status, notes = null } = scope.steps[at] ?? {};
		if (status === "completed") lines.unshift(...remarksIn(notes));
	}
	const whose = scope.id === RUN_SCOPE ? "this run" : scope.id;
	return lines.length === 0
		? []
		: [`## What earlier steps of ${whose} left uncommitted\n\n${quoted("left", lines.slice(-MOST_LEFT).join("\n"))}`];
}

/** These checks failed before the agent began, and have to pass in the end; one that has passed since then is no longer named. Who can neither
 * change nor run anything reads only which. */
function redFromTheStart(state: RunState, scope: Scope, step: Step, role: string | undefined): string[] {
	const { input, definition } = state;
	const red = stillRed(state, scope, input["baseline"] ?? "");
	if (red.length === 0) return [];
	const who = own(definition.roles, role ?? "");
	const looks = (own(definition.types, step.type)?.writes ?? "none") === "none" || (who?.bounded === true && !who.can.includes("run"));
	const text = (looks ? red.map((one) => one.split("\n", 1)[0] ?? "") : red).join("\n");
	return [
		`## Checks that failed before this run began\n\nThese failed on the commit that the work starts from. What is delivered has to pass them.\n\n${quoted("checks", text)}`,
	];
}

/** One text for each check. A story with a worktree of its own does not see what was repaired in another one. */
function stillRed(state: RunState, scope: Scope, red: string): string[] {
	const seen = hasStoryTrees(state) ? [scope] : [state.root, ...state.stories.map((story) => story.scope)];
	const passed = seen.flatMap(({ checked = [] }) => checked.filter(({ exitCode }) => exitCode === 0));
	return red
		.split(/\n(?=[\w.-]+: `.*` (?:exited \d+|did not end)$)/m)
		.filter((one) => one !== "" && !passed.some(({ name, command }) => one.startsWith(`${name}: \`${command}\` `)));
}
