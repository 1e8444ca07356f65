// pawl retry RUN [STORY]: failed stories go on from the step that failed; a step that was escalated to a person runs
// again. Never automatic.
import { Command } from "commander";
import type { Input } from "../core/input.ts";
import type { RunState } from "../core/model.ts";
import { failedStep, waitingSteps } from "../core/query.ts";
import { deliver } from "../runs/deliver.ts";
import { isLive } from "../runs/hold.ts";
import { current, findRun, openExisting } from "../runs/open.ts";
import { openRepository } from "../runs/place.ts";
import { recoveryText } from "../runs/recovery.ts";
import { CliError, type Context } from "./context.ts";
import { drive } from "./drive.ts";
import { isPulled } from "./pull-run.ts";
import { told } from "./told.ts";

export function command(c: Context): Command {
	return new Command("pawl retry")
		.description("let a failed story, or all of them, go on from the step that failed")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[story]", "only this one")
		.option("--json", "the journal as JSON lines on stdout")
		.action(async (name: string | undefined, story: string | undefined, flags: { json?: boolean }) => {
			const { repository, config } = await openRepository(c);
			const store = await openExisting(c, repository.root);
			try {
				const { id: run } = await findRun(repository.root, store, name);
				const input = retryOf(await current(store, run), story, c.now());
				const json = flags.json ?? false;
				if ((await isLive(store, run)) || isPulled(await current(store, run)))
					return told(c, `${story ?? "what failed"} is tried again`, await deliver(c, store, run, input), json);
				c.exit(await drive(c, { store, run, repository, config, json, first: [input, { type: "advance", at: c.now() }] }));
			} finally {
				await store.close();
			}
		});
}

export function retryOf(state: RunState, id: string | undefined, at: number): Input {
	if (state.definition.resume === "never")
		throw new CliError(`the workflow ${state.definition.name} does not go on with a run: ${recoveryText(state) ?? "start it again"}`);
	const stories = state.stories.filter((s) => id === undefined || s.id === id);
	if (id !== undefined && stories.length === 0)
		throw new CliError(`run ${state.id} has no story ${id}; there are ${state.stories.map((s) => s.id).join(", ") || "none"}`);
	if (stories.some((s) => s.status === "failed")) return { type: "retry_story", at, story: id ?? null };
	const [waiting] = waitingSteps(state).filter(
		({ scope, step }) => (id === undefined || scope === id) && state.definition.types[step.type]?.kind !== "approval",
	);
	if (waiting) return { type: "decide", at, scope: waiting.scope, step: waiting.step.id, verdict: "retry", reason: "" };
	if (id !== undefined)
		throw new CliError(
			`${id} is ${stories[0]?.status ?? "unknown"}${stories[0]?.error ? ` (${stories[0].error})` : ""}; only a failed story can be retried`,
		);
	if (state.status === "failed" && failedStep(state) !== undefined) return { type: "retry_story", at, story: null };
	throw new CliError(`no story of run ${state.id} has failed; the run is ${state.status}`);
}
