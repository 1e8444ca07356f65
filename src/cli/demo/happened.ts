// What the demo prints around its run: what is about to happen, what happened on the way (counted in the journal, not
// taken from the script), and where to look.
import type { Event } from "../../core/event.ts";
import { foldTo, padTo } from "../text/columns.ts";
import { editOperation } from "../text/event-lines.ts";
import { oneLine, type Paint } from "../text/text.ts";

export type DemoKind = "prd" | "one-shot";

const INTRO: Readonly<Record<DemoKind, string>> = {
	prd: `Six stories of a prd.json, three scripted agents, a git worktree for each.
No model is asked; the commits, the checks of pawl.yml and the merges are real.
One step restarts itself, one edits its plan, one leaves a bug that a check
finds, and two stories meet in the same place of one file.`,
	"one-shot": `One request, one scripted agent, no worktree. No model is asked; the commits
and the checks of pawl.yml are real. One step edits the plan, one restarts
itself, and one leaves a bug that a check finds.`,
};

export const introText = (kind: DemoKind, folder: string, color: Paint): string =>
	`${color.bold("pawl demo")} in ${folder}\n\n${INTRO[kind]}\n\n`;

/** One thing that went wrong on the way. */
export interface Happening {
	readonly kind: "restart" | "edit" | "failed check" | "conflict";
	readonly story: string;
	readonly text: string;
}

export function happenings(events: readonly Event[]): Happening[] {
	return events.flatMap((event): Happening[] => {
		switch (event.event) {
			case "workflow_edited": {
				const { operation, reason } = event.details;
				if (operation === "restart") return [{ kind: "restart", story: event.scope, text: `${event.step}: ${reason}` }];
				return [{ kind: "edit", story: event.scope, text: `${event.step} ${editOperation(event.details)}: ${reason}` }];
			}
			case "checks_recorded":
				return event.checks
					.filter((check) => check.exitCode !== 0)
					.map((check) => ({
						kind: "failed check",
						story: event.scope,
						text: `${check.name} after ${event.step}, ${repair(events, event)}`,
					}));
			case "route_taken":
				if (event.signal !== "conflict") return [];
				return [{ kind: "conflict", story: event.scope, text: repair(events, event) }];
			default:
				return [];
		}
	});
}

/** The steps that the workflow inserted because of it. */
function repair(events: readonly Event[], cause: Event & { readonly scope: string }): string {
	const inserted = events.find((e) => e.event === "steps_inserted" && e.scope === cause.scope && e.at >= cause.at);
	if (inserted?.event !== "steps_inserted") return "not repaired";
	const steps = inserted.steps.map((s) => s.type).join(", ");
	return `${cause.event === "route_taken" ? `${inserted.reason.replace(/^conflict /, "")}, ` : ""}repaired by ${steps}`;
}

export function happenedText(events: readonly Event[], width: number, color: Paint): string {
	const all = happenings(events);
	if (all.length === 0) return "";
	const kinds = [...new Set(all.map((h) => h.kind))];
	const counts = kinds.map((kind) => counted(all.filter((h) => h.kind === kind).length, kind));
	const head = foldTo(`${color.bold("on the way")}: ${counts.join(", ")}`, width - 1, 2, 2);
	const many = new Set(all.map((h) => h.story)).size > 1;
	const lines = all.map((h) => [padTo(color.yellow(h.kind), 12), ...(many ? [h.story] : []), oneLine(h.text, 300)].join("  "));
	const indent = many ? 16 + Math.max(...all.map((h) => h.story.length)) + 2 : 16;
	return `\n${[...head, ...lines.flatMap((line) => foldTo(`  ${line}`, width - 1, indent, 3))].join("\n")}\n`;
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

export function lookAroundText(kind: DemoKind, folder: string, pawl: string, color: Paint): string {
	const rows = [
		[`cd ${folder}`, ""],
		["git log --stat", "what was delivered"],
		...(kind === "prd" ? [["git diff prd.json", "which stories pass now"]] : []),
		[`${pawl} status`, "the run; also history, logs, cost, diff"],
		["ls .pawl/latest/", "its files: the state, the notes, the logs"],
	];
	const widest = Math.max(...rows.slice(1).map(([command = ""]) => command.length));
	return `\n${color.bold("look around")}\n${rows.map(([command = "", why = ""]) => `  ${why === "" ? command : `${command.padEnd(widest)}  ${color.dim(why)}`}`).join("\n")}\n`;
}
