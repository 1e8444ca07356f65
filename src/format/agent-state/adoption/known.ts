// What the journal itself knows about the tasks of a state file that is adopted again: their steps, checks and commits. The file is a checkpoint of
// this run that was restored, or its present state that a person changed; only what came after that moment is given up.
import type { Event } from "../../../core/event.ts";
import type { Adopted, KnownStories, StorySeed } from "../../../core/input.ts";
import type { RunState, Story } from "../../../core/model.ts";
import { type AgentState, readAgentState } from "../document.ts";
import { START } from "../task-commits.ts";
import { comparable, iso } from "../values.ts";
import { AgentStateView, LEARNINGS, SAVE_POINT } from "../view.ts";
import { type Adoption, adoptionOf, type Candidates, tasksIn } from "./adoption.ts";

/** What to adopt of a file of this run that somebody changed or restored. */
export function adoptAgain(
	text: string,
	file: AgentState,
	reason: string,
	events: readonly Event[],
	of: Omit<Candidates, "tasks">,
): Adoption {
	const { past, now } = momentsOf(file, events);
	// The tasks as they were at that moment come last, so that they count, not those of a later plan.
	const tasks = [...tasksIn(events), ...(past?.stories ?? []).map(seedOf)];
	const made = adoptionOf(text, reason, { ...of, tasks });
	return made.ok && past !== null && now !== null ? { ok: true, adopted: withKnown(made.adopted, file, past, now) } : made;
}

function seedOf({ id, title, description, criteria, priority, dependsOn, independent, expectsChange, group }: Story): StorySeed {
	const more = { ...(independent ? { independent } : {}), ...(group === null ? {} : { group }) };
	return { id, title, description, criteria, priority, dependsOn, expectsChange, ...more };
}

function withKnown(adopted: Adopted, file: AgentState, past: RunState, now: RunState): Adopted {
	const open = adopted.stories.filter(({ id, passes }) => !passes && !file.pending_tasks.some(({ task }) => task === id));
	const begun = past.stories.filter((s) => s.status === "in_progress" && open.some(({ id, title }) => id === s.id && title === s.title));
	const known: KnownStories = {
		completed: file.completed_tasks
			.filter(({ task, completed }) => now.stories.some((s) => s.id === task && s.status === "completed" && isAt(s.completedAt, completed)))
			.map(({ task }) => task),
		begun: Object.fromEntries(begun.flatMap(({ id, scope }) => fieldsOf(id, scope.fields))),
		changed: begun.filter(({ changed }) => changed).map(({ id }) => id),
		replaced: (past.replaced ?? []).length,
	};
	const recorded = past.root.kept.filter(({ name }) => name !== LEARNINGS).map(({ name, text }) => ({ name, text }));
	return { ...adopted, known, kept: [...(adopted.kept ?? []), ...recorded] };
}

const isAt = (time: number | null, text: string): boolean => time !== null && iso(time) === text;

/** A task that goes on keeps where it began. A new plan that was asked for is given up. */
function fieldsOf(id: string, fields: Readonly<Record<string, string>>): [string, Record<string, string>][] {
	const { [SAVE_POINT]: _, ...rest } = fields;
	return fields[START] === undefined ? [] : [[id, rest]];
}

/** The run at the moment that the file describes (null: it never was like that), and as it is now. */
function momentsOf(file: AgentState, events: readonly Event[]): { readonly past: RunState | null; readonly now: RunState | null } {
	const wanted = comparable(file);
	const last = checkpointOf(file);
	const view = new AgentStateView();
	let exact: RunState | null = null;
	let near: RunState | null = null;
	for (const event of events) {
		view.apply(event);
		for (const { text } of view.snapshots.splice(0)) {
			const read = readAgentState(text);
			if (read.ok && comparable(read.state) === wanted) exact = view.run;
		}
		// A person changed it by hand: it goes on from the checkpoint that it lists last.
		if (view.run !== null && checkpointOf(view.document()) === last) near = view.run;
	}
	return { past: exact ?? near, now: view.run };
}

const checkpointOf = ({ orchestrator, checkpoints }: AgentState): string =>
	JSON.stringify([orchestrator.start_time, checkpoints.at(-1) ?? null]);
