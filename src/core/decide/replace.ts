// A new plan: its stories replace all that are not completed. pawl says what it changes in the earlier plan, and the change needs the
// same approval as the first plan.
import type { StorySeed } from "../input.ts";
import type { RunState, Story } from "../model.ts";
import { eachStep, isSameStory, typeOf } from "../query.ts";
import type { Decision } from "./decision.ts";
import type { EndedAttempt } from "./outcome.ts";
import { cancelRunning } from "./story.ts";

const UNCHANGED = "changes nothing, so what led to it is not settled";

/** The new list replaces every story that is not completed, including the one that asked for it. */
export function replaceStories(d: Decision, { scope, step, attempt }: EndedAttempt, seeds: readonly StorySeed[]): void {
	if (seeds.length === 0 || d.state.status !== "running") return;
	for (const story of d.state.stories)
		if (story.status === "in_progress") {
			for (const step of story.scope.steps) cancelRunning(d, story.id, step, "the stories were planned anew");
			d.effect({ effect: "release_story", scope: story.id, slot: story.slot ?? 1, completed: false });
		}
	const stories = seeds.map((seed) => ({ ...seed, ...groupOf(d.state, seed) }));
	const changes = planChanges(d.state.stories, stories);
	// A plan that changes nothing settles nothing: whoever approved the plan has to know.
	const said = changes.length > 0 ? changes : [UNCHANGED];
	for (const text of said) d.emit({ event: "remarked", scope, step: step.id, attempt, text: `the new plan ${text}` });
	d.emit({ event: "stories_replaced", stories, keep: "completed" });
	askForApproval(d, changes.length > 0 ? `the plan has changed: it ${changes.join("; it ")}` : `the new plan ${UNCHANGED}`);
}

/** The steps in which a person approved the stories wait again, and the stories wait for them. */
function askForApproval(d: Decision, reason: string): void {
	const each = eachStep(d.state);
	if (each === undefined) return;
	const { steps } = d.state.root;
	const before = steps.slice(0, steps.indexOf(each));
	const approvals = before.filter((step) => typeOf(d.state, step)?.kind === "approval" && step.status === "completed");
	if (approvals.length === 0) return;
	for (const step of [...approvals, each]) d.emit({ event: "step_reopened", scope: d.state.root.id, step: step.id, reason });
}

/** The document of a plan changed before an agent worked on it: its steps up to the stories run again. */
export function renewPlan(d: Decision, stories: readonly StorySeed[], fields: Readonly<Record<string, string>>): void {
	const { root } = d.state;
	const to = root.steps.findIndex((step) => typeOf(d.state, step)?.kind === "each");
	if (root.steps[to]?.status !== "pending") return;
	d.emit({ event: "fields_set", scope: root.id, fields });
	d.emit({ event: "stories_replaced", stories });
	for (const step of root.steps.slice(0, to))
		if (step.status === "completed" || step.status === "waiting")
			d.emit({ event: "step_reopened", scope: root.id, step: step.id, reason: "the document has changed" });
}

/** What a list of stories drops, adds and changes, compared with the stories that it replaces: one sentence each, without its subject. */
export function planChanges(now: readonly Story[], then: readonly StorySeed[]): string[] {
	const open = now.filter(({ status }) => status !== "completed");
	const sentences: string[] = [];
	// A story is moved only to an id that is new: a title alone must not hide what happened to the story of that id.
	const isNew = ({ id }: StorySeed): boolean => !now.some((story) => story.id === id);
	const moved = new Set<StorySeed>();
	for (const story of open) {
		const seed = then.find(({ id }) => id === story.id);
		const elsewhere = seed ?? then.find((one) => isNew(one) && isSameStory(one, story));
		if (elsewhere === undefined) sentences.push(`drops ${story.id}: ${story.title}`);
		else if (seed === undefined) sentences.push(`moves ${story.id} to ${elsewhere.id}: ${story.title}`);
		if (elsewhere) {
			moved.add(elsewhere);
			sentences.push(...storyChanges(story, elsewhere));
		}
	}
	for (const seed of then) if (isNew(seed) && !moved.has(seed)) sentences.push(`adds ${seed.id}: ${seed.title}`);
	return sentences.length > 0 || isSameOrder(open, then) ? sentences : ["changes the order of the stories"];
}

const isSameOrder = (open: readonly Story[], then: readonly StorySeed[]): boolean => {
	const ids = then.map(({ id }) => id).filter((id) => open.some((story) => story.id === id));
	return open.every(({ id }, at) => ids[at] === id);
};

function storyChanges(story: Story, seed: StorySeed): string[] {
	const without = story.criteria.filter((text) => !seed.criteria.includes(text));
	const more = seed.criteria.filter((text) => !story.criteria.includes(text));
	return [
		...without.map((text) => `takes the criterion "${text}" from ${story.id}`),
		...more.map((text) => `gives ${story.id} the criterion "${text}"`),
		...(story.title === seed.title ? [] : [`renames ${story.id} from "${story.title}" to "${seed.title}"`]),
		...(story.description.trim() === seed.description.trim() ? [] : [`describes ${story.id} in other words`]),
	];
}

/** A new story belongs to the group of its namesake, else to that of the stories whose ids begin alike (`2.1` and `2.2`). */
function groupOf(state: RunState, seed: StorySeed): { group?: string } {
	if (seed.group !== undefined) return {};
	const stem = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf(".")));
	const like = state.stories.find((s) => s.id === seed.id) ?? state.stories.find((s) => stem(s.id) !== "" && stem(s.id) === stem(seed.id));
	return like?.group ? { group: like.group } : {};
}
