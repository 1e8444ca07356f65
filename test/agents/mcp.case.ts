// Reports by pawl's own tools, with each of the four real CLIs: it starts the server, is not asked for an approval, and what the tool was
// told counts, against what the last words say. In steps that may write and in those that may not.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chosenClis } from "./clis.ts";
import { drive } from "./drive.ts";
import { BY_TOOL, reported } from "./model/turn.ts";
import { verdictWorkflow } from "./verdict.ts";

describe("a report by tool", () => {
	for (const cli of chosenClis()) {
		it(`${cli.name} reports by the tool of pawl's server, unattended, and that counts`, async () => {
			const driven = await drive({ cli, args: [verdictWorkflow(), BY_TOOL], mcp: true });
			assert.equal(driven.code, 0, driven.said.slice(-3000));
			// The checks before a story is done are steps as well.
			const sessions = driven.events.filter(({ event, role }) => event === "step_started" && role !== "checks").map(({ step }) => step);
			const ofSessions = driven.events.filter(({ step }) => sessions.includes(step));
			const routes = ofSessions.filter(({ event }) => event === "route_taken").map(({ signal }) => signal);
			assert.deepEqual(routes.slice(0, 2), ["done", "acceptable"], "its last words say BLOCK");
			const notes = ofSessions.filter(({ event }) => event === "step_completed").map((event) => event["notes"]);
			assert.deepEqual(notes.slice(0, 2), [reported("coding"), reported("review")]);
			assert.deepEqual(driven.left, []);
		});
		it(`${cli.name} without \`mcp\` is offered no tool of pawl`, async () => {
			const driven = await drive({ cli, args: [verdictWorkflow(), "Add a file"] });
			assert.ok(driven.asked.length > 0);
			for (const { question } of driven.asked) assert.ok(!question?.tools.some((name) => name.includes("pawl")));
			assert.deepEqual(driven.left, []);
		});
	}
});
