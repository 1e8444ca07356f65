// The sentences that say why a run does not simply continue, made from journals.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dynamic, failedCheck, linear, type TypePart } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import { standingReasons, WhyReader, whyText } from "./why.ts";

const told = (world: World): string[] => {
	const reader = new WhyReader();
	return world.events.flatMap((event) => {
		const why = reader.read(event, world.state);
		return why === null ? [] : [`${why.type ?? ""} ${whyText(why)}`.trim()];
	});
};

const verifies: Record<string, TypePart> = {
	implement: {},
	verify: { on: { done: { action: "next" }, retry: { action: "goto", target: "implement" } } },
};

describe("G-16: the person knows why", () => {
	it("a verdict that sends back is reported once, with its reason, and stays until the step is done", () => {
		const world = new World(linear(verifies));
		world.end("implement");
		world.end("verify", { signal: "retry", error: "the label is missing" });
		assert.deepEqual(told(world), ["verify sends back to implement: the label is missing"]);
		assert.deepEqual(
			standingReasons(world.events, world.state).map((why) => [why.kind, why.reason]),
			[["sent_back", "the label is missing"]],
		);
		world.end("implement");
		world.end("verify");
		assert.deepEqual(standingReasons(world.events, world.state), []);
	});

	it("work that was sent back and then failed is told by the failure", () => {
		const world = new World(linear({ ...verifies, implement: { on: { agent_error: { action: "fail", target: "run" } } } }));
		world.end("implement");
		world.end("verify", { signal: "retry", error: "the label is missing" });
		world.end("implement", { signal: "agent_error", error: "it broke" });
		assert.deepEqual(
			standingReasons(world.events, world.state).map((why) => [why.kind, why.type, why.reason]),
			[["failed", "implement", "it broke"]],
		);
	});

	it("a failed check names the check, and the story fails with that reason", () => {
		const world = new World(dynamic(), { stories: ["US-001"] });
		world.play({ "US-001 coding": { signal: "agent_error", error: "exit code 3: it broke" }, merge: { signal: "merged" } });
		const standing = standingReasons(world.events, world.state);
		assert.deepEqual(
			standing.map((why) => [why.story, why.type, why.reason]),
			[["US-001", "coding", "exit code 3: it broke"]],
		);
	});

	it("a story that fails for a reason of its own says so, whatever became of a step before", () => {
		const world = new World(dynamic(), { stories: ["US-001"] });
		world.play({ "US-001 context_gathering": ["lost", {}], merge: { signal: "empty", error: "nothing was changed" } });
		const reasons = standingReasons(world.events, world.state).map((why) => why.reason);
		assert.ok(
			reasons.some((reason) => reason.includes("nothing was changed")),
			reasons.join("\n"),
		);
	});

	it("of steps that send work back again and again, only the last one still matters", () => {
		const world = new World(dynamic(), { stories: ["US-001"] });
		world.play({ "US-001 initial_testing": { checks: [failedCheck()] } });
		const standing = standingReasons(world.events, world.state);
		assert.deepEqual(
			standing.map((why) => [why.kind, why.type, why.output]),
			[["failed", "initial_testing", "boom"]],
			"with what the check printed",
		);
	});

	it("a check that sends work back is not the end of the step", () => {
		const world = new World(dynamic(), { stories: ["US-001"] });
		world.play({ "US-001 initial_testing": [{ checks: [failedCheck()] }, {}], merge: { signal: "merged" } });
		assert.ok(
			told(world).some((line) => /^initial_testing .*check \S+ failed/.test(line)),
			told(world).join("\n"),
		);
	});

	it("why an iteration of a loop failed is told until one ends well", () => {
		const again = { action: "retry" as const };
		const roles = { W: { role: "w" } };
		const world = new World(
			linear({ loop: { kind: "loop", loop: { schedule: "W", roles, max: "9", inject: {} }, on: { agent_error: again, done: again } } }),
		);
		world.end("loop", { signal: "agent_error", error: "it broke" });
		assert.deepEqual(
			standingReasons(world.events, world.state).map((why) => why.reason),
			["it broke"],
		);
		world.end("loop");
		assert.deepEqual(standingReasons(world.events, world.state), []);
	});
});
