// Persons of the engine layer: they work in the repository, and ask things of the run from another terminal.
import type { Input } from "../../src/core/input.ts";
import { RUN_SCOPE } from "../../src/core/model.ts";
import { storyOf } from "../../src/core/testing/builders.suite.ts";
import type { Harness } from "../../src/engine/testing/harness.suite.ts";
import { SOMEBODY } from "./core-persons.ts";
import type { Act } from "./engine-scenario.ts";
import { MINE } from "./engine-world.ts";
import { luckOf } from "./luck.ts";

const MINUTE = 60_000;

export interface Persons {
	/** Commits that they made on base. */
	readonly commits: string[];
	/** What they said, each once. */
	readonly said: string[];
	/** Files that they are editing: path → text before. */
	readonly dirty: Map<string, string>;
}

export const nobody = (): Persons => ({ commits: [], said: [], dirty: new Map() });

/** `ask`: how what they ask gets to the run. */
export async function act(h: Harness, persons: Persons, what: Act, x: number, ask: (input: Input) => Promise<void>): Promise<void> {
	const luck = luckOf(x);
	const { user } = h.site;
	const by = SOMEBODY;
	switch (what) {
		case "commit":
			persons.commits.push(user.commitAsPerson(`user-${persons.commits.length}.txt`, "mine\n"));
			return;
		case "edit":
		case "dirty": {
			// For a while: a merge waits for them.
			const before = user.files.read("README.md") ?? "";
			if (persons.dirty.has("README.md")) return;
			persons.dirty.set("README.md", before);
			user.files.write("README.md", "being edited\n");
			h.clock.after(luck.between(1, what === "edit" ? 30 : 300) * MINUTE, () => tidy(h, persons));
			return;
		}
		case "steer": {
			const text = `mind ${persons.said.length}`;
			persons.said.push(text);
			return ask({ type: "steer", at: 0, by, text });
		}
		default: {
			const state = await h.state();
			// Only the list of a PRD can grow.
			if (what === "add story" && state.options.mode !== "prd") return;
			const input = asked(
				what,
				luck,
				state.stories.map((story) => story.id),
				Object.keys(state.budgets),
				x,
			);
			return input === null ? undefined : ask(input);
		}
	}
}

/** They finish what they were editing. */
export function tidy(h: Harness, persons: Persons): void {
	for (const [path] of persons.dirty) {
		const now = h.site.user.committed().get(path);
		if (now !== undefined && path !== MINE) h.site.user.files.write(path, now);
	}
	persons.dirty.clear();
}

function asked(
	what: Act,
	luck: ReturnType<typeof luckOf>,
	stories: readonly string[],
	budgets: readonly string[],
	x: number,
): Input | null {
	const by = SOMEBODY;
	const scope = luck.some(stories) ?? RUN_SCOPE;
	switch (what) {
		case "pause":
			return { type: "stop", at: 0, by, how: "pause" };
		case "interrupt":
			return { type: "stop", at: 0, by, how: "interrupt" };
		case "resume":
			return { type: "resume", at: 0, by };
		case "extend":
			return {
				type: "extend",
				at: 0,
				by,
				budgets: Object.fromEntries(budgets.map((name) => [name, luck.between(5, 60)])),
				iterations: luck.between(3, 20),
			};
		case "retry":
			return { type: "retry_story", at: 0, by, id: `retry-${x}`, story: null };
		case "skip":
			return { type: "skip_step", at: 0, by, id: `skip-${x}`, scope, step: `step-00${luck.between(1, 9)}`, reason: "not needed" };
		case "add story":
			return stories.length === 0
				? null
				: { type: "add_stories", at: 0, stories: [storyOf("US-9", { dependsOn: luck.happens(0.5) ? [scope] : [] })] };
		default:
			return null;
	}
}
