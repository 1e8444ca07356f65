// Actions of a run with tasks in phases: where a task began, its checkpoint, what a repair changed, the milestone of a phase. Each only
// looks at git and reports what it saw; the files follow the journal.

import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { headOf } from "../../core/cut.ts";
import { droppedStories } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import { clearWay } from "../../files/way.ts";
import { writeWhole } from "../../files/write.ts";
import type { Action, StepContext } from "../../format.ts";
import { NOTES } from "./names.ts";
import { type Group, groupsOf, labelOf } from "./phases.ts";
import { readPlain } from "./state-folder.ts";
import { CONFLICT } from "./supervision.ts";
import { rangesOf, START } from "./task-commits.ts";
import { ADOPTED, adoptedState, CHECKPOINT, FILES, listIn, MILESTONES, SAVE_POINT } from "./view.ts";

const ASKED_BYTES = 600;

const head = async ({ workspace }: StepContext): Promise<string> => (await workspace.point()).commit;
const storyIn = ({ state, scope }: StepContext) => state.stories.find((s) => s.id === scope);

/** Where the task begins. One that was planned anew begins again; what it did before has a range of its own. One that a person's change of the
 * state file interrupted goes on from where it began, if that is still in the tree. */
export const begin: Action = async (context) => {
	const earlier = storyIn(context)?.scope.fields[START];
	const isThere = earlier !== undefined && (await context.repository.holds(earlier, context.workspace.branch));
	return { signal: "done", facts: { [START]: isThere ? earlier : await head(context) } };
};

/** The commit and the files of the whole task, whatever its iterations committed, also before it was planned anew. */
export const checkpoint: Action = async (context) => {
	const to = await head(context);
	const story = storyIn(context);
	const { before, now } = story ? rangesOf(context.state, story) : { before: [], now: null };
	const paths = new Set<string>();
	for (const range of [...before, { from: now?.from ?? to, to }])
		if (range.from !== range.to) for (const path of await context.repository.changedPaths(range.from, range.to)) paths.add(path);
	return { signal: "done", notes: to, facts: { [CHECKPOINT]: to, [FILES]: JSON.stringify([...paths].sort()) } };
};

/** A checkpoint before the plan changes. */
export const savePoint: Action = async (context) => {
	const to = await head(context);
	return { signal: "done", notes: to, facts: { [SAVE_POINT]: to } };
};

/** What the latest repair changed. The supervisor that looks again is a fresh session: it is told what the one before it asked for. */
export const fixed: Action = async (context) => {
	const type = context.state.definition.types[context.step.type]?.with?.["of"] ?? "";
	const repair = storyIn(context)?.scope.steps.findLast((s) => s.type === type);
	// An attempt that only mended the report changed nothing; the one before it did.
	const from = repair?.firstCommit ?? repair?.commit ?? null;
	const to = await head(context);
	const paths = from === null || from === to ? [] : await context.repository.changedPaths(from, to);
	const shown = paths.slice(0, 20).join(", ") + (paths.length > 20 ? ` and ${paths.length - 20} more` : "");
	const asked = storyIn(context)?.scope.fields[CONFLICT.resolution]?.replace(/\s+/g, " ").trim() ?? "";
	const conflict = asked === "" ? "the conflict that you found" : `the conflict that you found ("${headOf(asked, ASKED_BYTES)}")`;
	const notes = `${type} worked on ${conflict} and ${shown === "" ? "changed nothing" : `changed ${shown}`}`;
	return { signal: "done", notes, facts: { [CONFLICT.fixed]: shown } };
};

/** The field in which the supervisor says why a task had nothing left to change. */
export const DONE_BEFORE = "already_done";

const NO_WORK = "nothing was changed: a task that leaves no change does not pass";

/** A task that changed nothing passes only on the supervisor's word, which a person gets to read. */
export const unchanged: Action = async (context) => {
	const story = storyIn(context);
	const earlier = story ? rangesOf(context.state, story).before : [];
	const why = story?.scope.fields[DONE_BEFORE]?.trim() ?? "";
	if (earlier.length > 0)
		return { signal: "done", remarks: ["nothing was changed since it was planned anew; its commits are those from before"] };
	if (why !== "") return { signal: "done", remarks: [`nothing was changed; the supervisor says that it was done before: ${why}`] };
	const watched = context.state.root.fields["supervisor"] !== "false";
	return { signal: "unchanged", error: `${NO_WORK}${watched ? ", unless the supervisor finds that it was done before" : ""}` };
};

interface Reached {
	readonly phase: number;
	readonly name: string;
	readonly url: string;
}

/** For every phase that this task completes and that has no milestone yet, also an earlier one whose remaining tasks a new plan dropped. */
export const milestone: Action = async (context) => {
	const { state, scope } = context;
	const known = new Set([
		...state.stories.flatMap((s) => listIn<Reached>(s.scope.fields[MILESTONES]).map((m) => m.phase)),
		...(adoptedState(state.root.fields[ADOPTED])?.milestones ?? []).map((m) => m.phase),
	]);
	const reached: Reached[] = [];
	for (const [phase, group] of groupsOf(state).entries()) {
		const own = state.stories.filter((s) => labelOf(s) === group.label);
		const complete = own.length > 0 && own.every((s) => s.status === "completed" || s.id === scope);
		if (complete && !known.has(phase)) reached.push({ phase, name: group.name, url: await tell(context, group) });
	}
	return {
		signal: "done",
		notes: reached.map((m) => m.url).join(" "),
		facts: reached.length === 0 ? {} : { [MILESTONES]: JSON.stringify(reached) },
	};
};

/** Opens an issue if that is allowed, or else writes a note. */
async function tell(context: StepContext, group: Group): Promise<string> {
	const { state, forges, repository } = context;
	const folder = join(state.input["state_dir"] ?? context.sharedDir, NOTES);
	const file = noteOf(folder, group.label, state.id);
	const title = `Milestone: phase ${group.label}, ${group.name.replace(/\s+/g, " ")} (pawl run ${state.id})`;
	await writeNote(folder, file, textOf(context, group, title));
	if (startedWith(state).push) {
		const remote = await repository.remote(state.options.base ?? "");
		for (const forge of remote === null ? [] : forges) {
			const isAsked = forge.issue !== undefined && forge.serves(remote?.url ?? "") !== false;
			if (!forge.issue || !isAsked || (await forge.problem(repository.root, remote?.url ?? "")) !== null) continue;
			const opened = await forge.issue({ cwd: repository.root, title, bodyFile: file });
			if ("url" in opened) return opened.url;
			context.warn(`${forge.name} opened no issue for the milestone of phase ${group.label}: ${opened.problem}`);
		}
	}
	return pathToFileURL(file).href;
}

/** The note of an earlier run stays where its state says it is. */
function noteOf(folder: string, label: string, run: string): string {
	const file = join(folder, `phase-${label}.md`);
	const [head = ""] = (readPlain(file) ?? "").split("\n", 1);
	const other = /\(pawl run (\S+)\)$/.exec(head)?.[1];
	return other === undefined || other === run ? file : join(folder, `phase-${label}-${run}.md`);
}

/** Does not follow links that an agent may have put there. */
async function writeNote(folder: string, file: string, text: string): Promise<void> {
	clearWay(dirname(folder), file);
	await writeWhole(file, text);
}

function textOf({ state }: StepContext, group: Group, title: string): string {
	const tasks = state.stories.filter((s) => labelOf(s) === group.label);
	const lines = tasks.flatMap((s) => [
		`- ${s.id}: ${s.title.replace(/\s+/g, " ")}`,
		...s.criteria.map((c) => `  - [x] ${c.replace(/\s+/g, " ")}`),
	]);
	const dropped = droppedStories(state).filter((s) => labelOf(s) === group.label);
	const without = dropped.map((s) => `- ${s.id}: ${s.title.replace(/\s+/g, " ")}`);
	const more = without.length === 0 ? "" : `\nDropped by a new plan, not done:\n\n${without.join("\n")}\n`;
	return `# ${title}\n\n${lines.join("\n")}\n${more}`;
}
