// G-21: ids and names cannot collide: an agent gets only steps of its own role, and no counter of one step counts for another.
import assert from "node:assert/strict";
import { alsoIn } from "./also-in.ts";
import { rolesOf } from "./roles.ts";
import { walk } from "./walk.ts";

walk("G-21 whoever gets a step is whom the step names", ({ definition }) => ({
	holds: (h) => {
		assert.ok(h.prompts.length > 0);
		for (const { type, role } of h.prompts) assert.ok(rolesOf(definition, type).includes(role), `${role} got ${type}`);
	},
}));

alsoIn("G-21", "src/definition/check/counter-names.test.ts", "src/core/counter.test.ts");
