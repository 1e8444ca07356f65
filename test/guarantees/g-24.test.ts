// G-24: runs beside each other do not meet: what an unfinished run owns (stories, slots, the checkout) no other run gets, whoever drives it,
// and a killed run keeps it. That cleaning up takes nothing from others needs real git.
import assert from "node:assert/strict";
import type { Definition } from "../../src/core/definition.ts";
import type { Harness } from "../../src/engine/testing/harness.suite.ts";
import { Refusal } from "../../src/runs/refusal.ts";
import type { Prepared } from "../../src/runs/start/prepare.ts";
import { freeSlots } from "../../src/runs/start/slots.ts";
import { refuseTakenByOthers } from "../../src/runs/taken.ts";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

walk(
	"G-24 a second run that needs what the first one owns is refused and names it, until the first is over",
	({ definition, driver, isWriter }) => {
		const tried: Promise<void>[] = [];
		let at: Harness | null = null;
		const tries = (): void => {
			if (at !== null) tried.push(meets(at, definition));
		};
		return {
			begin: (h) => {
				at = h;
			},
			killed: tries,
			play: (turn, usual) => {
				if (isWriter(turn) && driver !== "resumed" && tried.length === 0) tries();
				return usual();
			},
			holds: async (h, state) => {
				assert.equal(state.status, "completed", state.reason ?? "");
				assert.ok(tried.length > 0);
				await Promise.all(tried);
				await assert.doesNotReject(second(h, definition), "it is over, and has given up what it owned");
			},
		};
	},
);

async function meets(h: Harness, definition: Definition): Promise<void> {
	const state = await h.state();
	const workspace = definition.inputs[state.options.mode]?.workspace;
	for (const slot of await freeSlots(h.store.open(h.clock.now), 3))
		assert.ok(!state.options.slots.includes(slot), `slot ${slot} is given twice`);
	// Only its process holds what a run that can never be resumed works in.
	if (workspace !== "branch" && definition.resume !== "never")
		await assert.rejects(second(h, definition), (error) => error instanceof Refusal && error.message.includes(h.run), "nobody refuses it");
}

async function second(h: Harness, definition: Definition): Promise<void> {
	const { options, stories } = await h.state();
	const wanted = {
		definition,
		mode: options.mode,
		base: options.base,
		options: {},
		source: [],
		input: {},
		stories: stories.map(({ id }) => ({ id, passes: false })),
	};
	await refuseTakenByOthers(h.store.open(h.clock.now), wanted as unknown as Prepared);
}

alsoIn("G-24", "test/runs/neighbours.test.ts", "src/workspace/slot/worktrees.test.ts");
