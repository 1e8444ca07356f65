// What must hold for a run that has halted, however often its process was killed. Returns all violations, so
// that a test shows them at once.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../core/event.ts";
import type { RunState, Scope } from "../../core/model.ts";
import { applyToView, emptyView, renderView } from "../../format/workflow-state/view.ts";
import type { Harness } from "./harness.suite.ts";

export async function violations(harness: Harness): Promise<string[]> {
	const state = await harness.state();
	const events = await harness.events();
	return [
		...(state.version === events.length ? [] : [`version ${state.version} after ${events.length} events`]),
		...ofIgnored(events),
		...ofPrepared(events),
		...ofOpenWork(await harness.open(), state),
		...ofSteps("the run", state.root),
		...state.stories.flatMap((story) => ofSteps(story.id, story.scope)),
		...ofMerges(harness, state),
		...ofTrees(harness, state),
		...ofLeftovers(harness, state),
		...ofStateFile(harness, state, events),
	];
}

/** A result may come too late for a step that was cancelled, or for a gate if a kill cut off another member. An order to stop may
 * come too late for a step that has just ended. */
function ofIgnored(events: readonly Event[]): string[] {
	const late = events.flatMap((e) =>
		e.event === "step_cancelled" || (e.event === "route_taken" && e.signal === "lost") ? [`${e.scope} ${e.step}`] : [],
	);
	const stopped = events.some((e) => e.event === "stop_requested");
	return events.flatMap((e) => {
		if (e.event !== "attempt_ignored" || late.includes(`${e.scope} ${e.step}`)) return [];
		return stopped && e.reason.endsWith("not under way") ? [] : [`a result was ignored: ${JSON.stringify(e)}`];
	});
}

/** I2: an attempt begins once. If whoever began it dies, it is lost, and the next one has a number of its own. */
function ofPrepared(events: readonly Event[]): string[] {
	const begun = new Set<string>();
	return events.flatMap((e) => {
		if (e.event !== "step_prepared") return [];
		const attempt = `${e.scope} ${e.step} attempt ${e.attempt}`;
		const wrong = begun.has(attempt) ? [`I2 ${attempt} began twice`] : [];
		begun.add(attempt);
		return wrong;
	});
}

const isOver = ({ status }: RunState): boolean => status === "completed" || status === "failed" || status === "cancelled";

function ofOpenWork(open: number, state: RunState): string[] {
	return open > 0 && isOver(state) ? [`${open} effects were never settled`] : [];
}

function ofSteps(of: string, { steps }: Scope): string[] {
	return steps.flatMap((step) =>
		step.running.some((attempt) => attempt.role !== "") ? [`${of}: ${step.id} (${step.type}) has attempts under way`] : [],
	);
}

/** A merge that is in the journal is on base exactly once, and nothing else is. */
function ofMerges({ site, run }: Harness, state: RunState): string[] {
	const base = state.options.base ?? "main";
	const landed = [...site.git.ancestors(site.git.refs.get(`refs/heads/${base}`) ?? "")].flatMap((id) => {
		const { message } = site.git.at(id);
		return message.includes(`\nPawl-Run: ${run}\n`) ? [/^Pawl-Story: (.*)$/m.exec(message)?.[1] ?? ""] : [];
	});
	return state.stories.flatMap((story) => {
		const merged = story.scope.steps.some((s) => s.type === "merge" && s.status === "completed") ? 1 : 0;
		const times = landed.filter((id) => id === story.id).length;
		// Stopped between moving base and writing the journal: the next resume finds the merge.
		const announced = !isOver(state) && story.scope.steps.some((s) => (s.announced ?? []).length > 0);
		return times === merged || (announced && times === 1)
			? []
			: [`${story.id} (${story.status}) is on ${base} ${times} times, and in the journal ${merged} times`];
	});
}

/** I9: every tree that the run put on base has passed all checks, as it is there. */
function ofTrees({ site, run, options: { checks = {} }, proved }: Harness, state: RunState): string[] {
	const base = state.options.base ?? "main";
	return [...site.git.ancestors(site.git.refs.get(`refs/heads/${base}`) ?? "")].flatMap((id) => {
		const { message, tree } = site.git.at(id);
		if (!message.includes(`\nPawl-Run: ${run}\nPawl-Story: `)) return [];
		const missing = Object.keys(checks).filter((name) => !proved.has(`${name} ${site.git.keep(tree)}`));
		return missing.map((name) => `${name} has never passed on a tree that is on ${base}: ${message.split("\n", 1)[0]}`);
	});
}

/** A file that follows the journal says what the journal says. */
function ofStateFile({ sharedDir, machines }: Harness, state: RunState, events: readonly Event[]): string[] {
	// Workers write none: it is written where a person follows the run.
	if (!state.definition.projections.includes("workflow_state") || machines.length > 0) return [];
	const view = emptyView({ createdAt: state.createdAt, prdFile: state.input["prd"] ?? null });
	for (const event of events) applyToView(view, event, state);
	const file = join(sharedDir, "workflow_state.json");
	const text = existsSync(file) ? readFileSync(file, "utf8") : "";
	return text === renderView(view) ? [] : ["workflow_state.json is not what the journal says"];
}

function ofLeftovers({ site, sharedDir }: Harness, state: RunState): string[] {
	const edits = join(sharedDir, "workflow_edits");
	const left = existsSync(edits) ? readdirSync(edits).filter((name) => name.endsWith(".json")) : [];
	const temporary = existsSync(sharedDir) ? readdirSync(sharedDir).filter((name) => name.endsWith(".tmp")) : [];
	return [
		...(isOver(state) ? left.map((name) => `left behind: workflow_edits/${name}`) : []),
		...(isOver(state) ? temporary.map((name) => `left behind: ${name}`) : []),
		...(isOver(state) ? [...site.slots.values()].map((slot) => `left behind: ${slot.checkout.path}`) : []),
		...site.branches().flatMap((name) => (isOver(state) && name.startsWith("ralph/") ? [`left behind: branch ${name}`] : [])),
	];
}
