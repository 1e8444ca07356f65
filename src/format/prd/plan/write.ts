// What a run does with the PRD that its planner wrote: looks whether it is one, and writes it.
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { routeOf } from "../../../core/definition.ts";
import type { RunState } from "../../../core/model.ts";
import { createWhole, writeWhole } from "../../../files/write.ts";
import type { Action, Evidence } from "../../../format.ts";
import { textOf } from "../reader.ts";
import { type PlanChanges, planned } from "./document.ts";
import { PRINTED } from "./reader.ts";

/** The key of the report that holds the PRD, and the field of the run that keeps it. */
const KEY = "PRD_JSON";
const FIELD = "prd_json";

const CHANGES = "plan_changes";

const NO_PLAN = { ok: false as const, problems: ["the planner has not written one"] };

/** What a run changed in the plan that it revised; null for a new plan. */
export function changesOf({ input, root }: Pick<RunState, "input" | "root">): PlanChanges | null {
	const said = root.fields[CHANGES];
	return input["revised_prd"] === undefined || said === undefined ? null : (JSON.parse(said) as PlanChanges);
}

/** The copy in the run's folder, also of a PRD that could not be written where it belongs. */
export const copyOf = (sharedDir: string): string => join(sharedDir, "prd.json");

/** The evidence `prd`: a PRD that `pawl run` would not take, or that changes what has passed, goes back to the planner. */
export const isPrd: Evidence = async ({ state }, said) => {
	if (said.signal !== "done") return [];
	const now = await currentOf(state);
	const read = "problem" in now ? { ok: false as const, problems: [now.problem] } : planned(said.fields[KEY] ?? "", now.text);
	const result = { name: "prd", command: KEY, exitCode: read.ok ? 0 : 1, output: read.ok ? "" : read.problems.join("\n") };
	// pawl looked itself, at the report: no command was run.
	return [read.ok ? result : { ...result, said: true as const }];
};

/** The action `prd.write`. A file that was revised may have changed since the planner looked: what has passed meanwhile stays. `unfit`: writing it again
 * would not help, only another plan does. */
export const write: Action = async ({ state, step, sharedDir }) => {
	const file = state.input["planned_prd"] ?? PRINTED;
	const now = await currentOf(state);
	if ("problem" in now) return { signal: "refused", error: now.problem };
	const answer = state.root.fields[FIELD];
	const read = answer === undefined ? NO_PLAN : planned(answer, now.text);
	if (!read.ok) {
		const type = state.definition.types[step.type];
		// A workflow of the user's, or a run that an earlier pawl began, may have no route for it.
		const signal = type !== undefined && routeOf(type, "unfit") !== undefined ? "unfit" : "refused";
		return { signal, error: `${state.input["revised_prd"] ?? "the plan"}: ${read.problems.join("; ")}` };
	}
	const copy = copyOf(sharedDir);
	await writeWhole(copy, read.text, { durable: true });
	const notes = `${read.stories.length} ${read.stories.length === 1 ? "story" : "stories"}${changesText(read.changes, state)}`;
	// For whoever shows the plan: a line of notes may be cut.
	const facts = { [CHANGES]: JSON.stringify(read.changes) };
	if (file === PRINTED) return { signal: "done", notes, facts };
	if (file === state.input["revised_prd"] || state.input["replaces_prd"] === "yes")
		await writeWhole(realOf(file), read.text, { durable: true });
	else if (!createWhole(file, read.text, { durable: true }) && (await isOther(file, read.text)))
		return { signal: "refused", error: `${file} is there by now, and was left as it is; the plan is in ${copy}` };
	return { signal: "done", notes: `${file}: ${notes}`, facts };
};

/** A killed pawl may have written it already. */
async function isOther(file: string, text: string): Promise<boolean> {
	const found = await textOf(file);
	return !("text" in found) || found.text !== text;
}

/** The file that is revised, as it is now; null for a new plan. */
async function currentOf({ input }: RunState): Promise<{ readonly text: string | null } | { readonly problem: string }> {
	const file = input["revised_prd"];
	if (file === undefined) return { text: null };
	const found = await textOf(file);
	return "problem" in found ? { problem: `${file} cannot be read any more: ${found.problem}` } : found;
}

/** A link that the user made stays one. */
const realOf = (file: string): string => (existsSync(file) ? realpathSync(file) : file);

function changesText({ added, changed, dropped }: PlanChanges, { input }: RunState): string {
	if (input["revised_prd"] === undefined) return "";
	const parts = [["new", added] as const, ["changed", changed] as const, ["dropped", dropped] as const].filter(([, ids]) => ids.length > 0);
	return parts.length === 0 ? "; nothing changed" : `; ${parts.map(([what, ids]) => `${what}: ${ids.join(", ")}`).join("; ")}`;
}
