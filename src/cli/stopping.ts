// Pausing and cancelling from another terminal. An engine that runs is asked and waited for; a run that nobody runs (it
// waits, or its process was killed) is brought to its stop here, by an engine that starts no agent.
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import type { RunStatus } from "../core/model.ts";
import { isOver } from "../core/query.ts";
import { POLL_MS } from "../runs/deliver.ts";
import { isLive } from "../runs/hold.ts";
import { current, findRun, openExisting } from "../runs/open.ts";
import { openRepository } from "../runs/place.ts";
import type { Store } from "../store.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { drive } from "./drive.ts";
import { isPulled, withPull } from "./pull-run.ts";

type How = "pause" | "cancel";

const STOP_MS = 30_000;

export function stopCommand(c: Context, how: How, description: string): Command {
	return new Command(`pawl ${how}`)
		.description(description)
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "the outcome as JSON")
		.action(async (name: string | undefined, flags: { json?: boolean }) => {
			const status = await stop(c, name, how);
			if (flags.json) c.out(`${JSON.stringify(status)}\n`);
			else c.out(`run ${status.run} is ${status.status}${status.status === "paused" ? `; go on with: pawl resume ${status.run}` : ""}\n`);
		});
}

async function stop(c: Context, name: string | undefined, how: How): Promise<{ run: string; status: RunStatus }> {
	const { repository, config } = await openRepository(c);
	const store = await openExisting(c, repository.root);
	try {
		const run = (await findRun(repository.root, store, name)).id;
		const { status: first, definition } = await current(store, run);
		const wanted = how === "pause" ? "paused" : "cancelled";
		if (isOver(first) && first !== wanted) throw new CliError(`run ${run} is ${first}: there is nothing to ${how}`);
		// It would never go on again: whoever wants it to end has to say so.
		if (how === "pause" && definition.resume === "never")
			throw new CliError(
				`the workflow ${definition.name} does not go on with a run, so it cannot be paused; pawl cancel ${run} gives it up`,
			);
		if (isPulled(await current(store, run))) {
			await store.post(run, { type: "stop", at: c.now(), how });
			await withPull(c, { store, repository, config }, run, (pull) => pull.settle());
			return { run, status: (await current(store, run)).status };
		}
		const halted = (status: RunStatus) => isOver(status) || (how === "pause" && status !== "running");
		let posted = false;
		for (const end = c.now() + STOP_MS; !halted((await current(store, run)).status); await sleep(POLL_MS)) {
			if (!(await isLive(store, run))) {
				const input = { type: "stop", at: c.now(), how } as const;
				await drive(withoutAgents(c), { store, run, repository, config, json: false, first: [input] });
				break;
			}
			if (!posted) await store.post(run, { type: "stop", at: c.now(), how });
			posted = true;
			if (c.now() > end)
				throw new CliError(`run ${run} was asked to stop and has not done so yet; pawl status ${run} shows it`, EXIT.failed);
		}
		await released(c, store, run);
		return { run, status: (await current(store, run)).status };
	} finally {
		await store.close();
	}
}

/** The status is known before the engine has put everything away; whoever resumes next must find the run free. */
async function released(c: Context, store: Store, run: string): Promise<void> {
	for (const end = c.now() + STOP_MS; (await isLive(store, run)) && c.now() < end; ) await sleep(POLL_MS);
}

/** An engine with this context ends what is under way and starts nothing, whether the run's agents are installed or not.
 * It says nothing either: the command says in one line how it ended. */
function withoutAgents(c: Context): Context {
	const usage = { costUsd: null, inputTokens: null, outputTokens: null };
	const agent = {
		name: "none",
		problem: async () => null,
		run: async () => ({
			result: "cancelled" as const,
			error: "stopped",
			text: "",
			usage,
			exitCode: null,
			retryAt: null,
			sessionId: null,
			model: null,
		}),
	};
	return {
		...c,
		out: () => {},
		err: () => {},
		errIsTty: false,
		services: { ...c.services, makeAgent: async () => ({ agent, model: null }) },
	};
}
