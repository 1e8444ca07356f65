// Progress of a run, from its events: lines for people on stderr, or the journal as JSON lines on stdout.
import type { Event } from "../core/event.ts";
import { RUN_SCOPE, type RunState, type Step } from "../core/model.ts";
import { findStep } from "../core/query.ts";
import type { Context } from "./context.ts";
import { clock, oneLine, paint, span, usageText, wantsColor } from "./text.ts";

export type Reporter = (events: readonly Event[], state: RunState) => void;

/** One object per journal event on stdout, and the structured log (D-148) on stderr. */
export function jsonReporter(c: Context): Reporter {
	return (events, state) => {
		for (const event of events) {
			c.out(`${JSON.stringify(withoutBulk(event))}\n`);
			const scope = "scope" in event ? event.scope : null;
			const story = state.stories.find((s) => s.id === scope);
			c.err(
				`${JSON.stringify({ ts: new Date(event.at).toISOString(), agent_id: story?.slot ?? null, story_id: story?.id ?? null, step_id: "step" in event ? event.step : null, event: event.event })}\n`,
			);
		}
	};
}

/** The frozen definition is long and the same for every run of a workflow: its name and hash say which. */
function withoutBulk(event: Event): unknown {
	if (event.event !== "run_created") return event;
	const { definition, ...rest } = event;
	return { ...rest, workflow: definition.name, definition_hash: definition.hash };
}

export function lineReporter(c: Context): Reporter {
	const color = paint(wantsColor(c.env, c.errIsTty));
	return (events, state) => {
		for (const event of events) {
			const line = lineFor(event, state, color);
			if (line !== null) c.err(`${line}\n`);
		}
	};
}

/** null: nothing that a person needs to see. */
export function lineFor(event: Event, state: RunState, color: Color, wanted = true): string | null {
	const text = wanted && !machinery(event, state) ? describe(event, state, color) : null;
	if (text === null) return null;
	const scope = "scope" in event && event.scope !== RUN_SCOPE && state.stories.length > 1 ? `${event.scope} ` : "";
	return `${color.dim(clock(event.at))} ${scope}${text}`;
}

/** Steps that hold the others together, not work that a person follows: the one that opens stories, and skipped internal ones. */
function machinery(event: Event, state: RunState): boolean {
	if (!("step" in event)) return false;
	const step = findStep(state, event.scope, event.step);
	const type = step && state.definition.types[step.type];
	return type?.kind === "each" || (type?.internal === true && event.event === "step_skipped");
}

type Color = ReturnType<typeof paint>;

function describe(event: Event, state: RunState, color: Color): string | null {
	switch (event.event) {
		case "run_created":
			return `${color.bold(event.definition.name)} run ${event.id}: ${oneLine(event.title, 80)}`;
		case "story_claimed":
			return state.stories.length > 1 ? `${color.bold("claimed")} by agent ${event.slot}: ${oneLine(state.stories.find((s) => s.id === event.scope)?.title ?? "", 60)}` : null;
		case "step_prepared": {
			const step = findStep(state, event.scope, event.step);
			const again = event.attempt > 1 ? `, attempt ${event.attempt}` : "";
			return `${name(step, event.step)}${color.dim(again)} ${oneLine(step?.description ?? "", 70)}`;
		}
		case "step_completed": {
			const step = findStep(state, event.scope, event.step);
			return `${name(step, event.step)} ${color.green("done")}${details(step, event.at)}${event.signal === "merged" && event.notes ? ` as ${event.notes.slice(0, 8)}` : ""}`;
		}
		case "step_failed":
			return `${name(findStep(state, event.scope, event.step), event.step)} ${color.red("failed")}: ${oneLine(event.error, 200)}`;
		case "step_cancelled":
			return `${name(findStep(state, event.scope, event.step), event.step)} ${color.yellow("cancelled")}: ${oneLine(event.error, 200)}`;
		case "step_skipped":
			return `${name(findStep(state, event.scope, event.step), event.step)} ${color.dim(`skipped: ${oneLine(event.reason, 100)}`)}`;
		case "step_restarted":
			return `${name(findStep(state, event.scope, event.step), event.step)} ${color.yellow("restarts")}: ${oneLine(event.description, 100)}`;
		case "step_reopened":
			return `${name(findStep(state, event.scope, event.step), event.step)} ${color.yellow("runs again")}: ${oneLine(event.reason, 140)}`;
		case "step_postponed":
			return `${name(findStep(state, event.scope, event.step), event.step)} ${color.yellow("waits")} until ${clock(event.until)}: ${oneLine(event.reason, 200)}`;
		case "step_waiting":
			return `${name(findStep(state, event.scope, event.step), event.step)} ${color.yellow("waits for a person")}: ${oneLine(event.reason, 140)}`;
		case "steps_inserted":
			return `${color.yellow("added")} ${event.steps.map((s) => `${s.id} ${s.type}`).join(", ")}: ${oneLine(event.reason, 120)}`;
		case "workflow_edited":
			return `${color.yellow("edit")} by ${event.step}: ${event.details.operation} ${event.details.target_step_id ?? ""}${event.details.new_steps ? ` → ${event.details.new_steps.map((s) => `${s.id} ${s.type}`).join(", ")}` : ""}, ${oneLine(event.details.reason, 100)}`;
		case "edit_rejected":
			return `${color.red("edit rejected")} (${event.step}): ${oneLine(event.reasons.join("; "), 200)}`;
		case "checks_recorded":
			return event.checks.map((check) => `check ${check.name}: ${check.exitCode === 0 ? color.green("passed") : color.red(check.exitCode === null ? "did not end" : `exit ${check.exitCode}`)} ${color.dim(oneLine(check.command, 80))}`).join(`\n         `);
		case "story_completed":
			return state.stories.length > 1 ? color.green("story completed") : null;
		case "story_failed":
			return `${color.red("story failed")}: ${oneLine(event.error, 200)}`;
		case "story_blocked":
			return `${color.yellow("blocked")} by ${event.by}`;
		case "story_unblocked":
			return "unblocked";
		case "budget_warned":
			return color.yellow(`${event.budget} at ${Math.round(event.share * 100)}% of its limit`);
		case "stop_requested":
			return color.yellow(`stopping (${event.how})`);
		default:
			return null;
	}
}

const name = (step: Step | undefined, id: string): string => `${id} ${(step?.type ?? "").padEnd(17)}`;

function details(step: Step | undefined, at: number): string {
	if (!step) return "";
	const usage = usageText(step.usage);
	return ` ${step.startedAt === null ? "" : span(at - step.startedAt)}${usage === "" ? "" : `, ${usage}`}`;
}
