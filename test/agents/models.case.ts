// The model of a step reaches the wire, with each of the four real CLIs: the server sees what was chosen for each step, and the journal says the same.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chosenClis } from "./clis.ts";
import { drive } from "./drive.ts";
import { twoSteps } from "./two-steps.ts";

describe("the model of a step", () => {
	for (const cli of chosenClis())
		it(`${cli.name} is asked for it, by a tier and with its effort`, async () => {
			const { model, strong, onWire, tellsEffort } = cli;
			const driven = await drive({
				cli,
				args: [twoSteps(), "Add a file", "--model", "review=strong"],
				tiers: { strong: { model: strong, effort: "high" } },
			});
			assert.equal(driven.code, 0, driven.said.slice(-3000));
			const asked = (step: string, of: "model" | "effort") => [
				...new Set(driven.asked.filter((one) => one.step === step).map(({ question }) => question?.[of])),
			];
			assert.deepEqual(asked("coding", "model"), [onWire(model ?? "")]);
			assert.deepEqual(asked("review", "model"), [onWire(strong)]);
			assert.deepEqual(asked("review", "effort"), [tellsEffort ? "high" : ""]);
			assert.equal(/has no option for effort/.test(driven.said), !tellsEffort);
			const prepared = driven.events.filter(({ event, agent }) => event === "step_prepared" && agent !== undefined);
			assert.deepEqual(
				prepared.map((event) => [event["model"], event["tier"], event["effort"]]),
				[
					[model, undefined, undefined],
					[strong, "strong", "high"],
				],
			);
			assert.deepEqual(driven.left, []);
		});
});
