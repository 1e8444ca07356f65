// G-21: ids and names cannot collide: an agent gets only steps of its own role, and no counter of one step counts for another.
import assert from "node:assert/strict";
import { alsoIn } from "./also-in.ts";
import { rolesOf } from "./roles.ts";
import { walk } from "./walk.ts";

walk("G-21 whoever comes for a step is whom the step names", ({ definition, driver }) => {
	if (driver !== "pulled") return null;
	return {
		holds: (h) => {
			assert.ok(h.prompts.length > 0);
			for (const { type, role } of h.prompts) assert.ok(rolesOf(definition, type).includes(role), `${role} got ${type}`);
		},
	};
});

alsoIn("G-21", "src/definition/counter-names.test.ts", "src/core/counter.test.ts");
