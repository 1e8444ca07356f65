// pawl step claim | complete | fail | stories: agents that pawl did not start take steps of a run and bring back what came of them.
import { randomBytes } from "node:crypto";
import { Command } from "commander";
import { openclawIds } from "../config/openclaw.ts";
import { isOver } from "../core/query.ts";
import type { Claimed, Taken } from "../engine/pull.ts";
import { storiesOf } from "../format/pipeline/stories.ts";
import { current, findRun, lookAt, openExisting } from "../runs/open.ts";
import { databaseOf, findRepository, openRepository } from "../runs/place.ts";
import type { Store } from "../store.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { document } from "./document.ts";
import { storyLines } from "./pipeline-status.ts";
import { isPulled, type PullPlace, withPull } from "./pull-run.ts";
import { duration } from "./run-options.ts";
import { oneLine } from "./text.ts";

const MOST_OUTPUT = 16 * 1024 * 1024;

export function command(c: Context): Command {
	const step = new Command("pawl step").description("take steps of a run and bring back their results");
	step
		.command("claim")
		.description("take the next step that waits for an agent; prints one JSON object")
		.argument("<agent>", "the agent's id in the workflow")
		.option("--run <run>", "only of this run")
		.option("--lease <duration>", "how long the step is kept for you (default: its time limit)", duration)
		.action(async (agent: string, flags: { run?: string; lease?: number }) => {
			// Timers ask from the day they are set up: that there was never a run is no error.
			if (flags.run === undefined && !(await hasRuns(c))) return c.out(`${JSON.stringify({ found: false })}\n`);
			return opened(c, (place) => claim(c, place, agent, flags.run, flags.lease ?? null));
		});
	step
		.command("complete")
		.description("bring back a result: the agent's whole answer on stdin")
		.argument("<claim>", "what claim gave you")
		.action((name: string) => opened(c, (place) => bring(c, place, name, readAll)));
	step
		.command("fail")
		.description("give a step back as failed")
		.argument("<claim>", "what claim gave you")
		.argument("<reason...>", "why")
		.action((name: string, reason: string[]) => opened(c, (place) => bring(c, place, name, null, reason.join(" "))));
	step
		.command("stories")
		.description("the stories of a run, a line each")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "as one JSON document, with all that is known about each")
		.action((name: string | undefined, flags: { json?: boolean }) =>
			lookAt(c, name, ({ state }) => c.out(flags.json ? document(storiesOf(state)) : storyLines(state))),
		);
	return step;
}

async function hasRuns(c: Context): Promise<boolean> {
	const store = c.services.openReader(databaseOf((await findRepository(c)).root));
	await store?.close();
	return store !== null;
}

async function opened(c: Context, work: (place: PullPlace) => Promise<void>): Promise<void> {
	const { repository, config } = await openRepository(c);
	const store = await openExisting(c, repository.root);
	try {
		await work({ store, repository, config });
	} finally {
		await store.close();
	}
}

async function claim(c: Context, place: PullPlace, agent: string, run: string | undefined, leaseMs: number | null): Promise<void> {
	const { store, repository } = place;
	const named = run === undefined ? null : await findRun(repository.root, store, run);
	if (named !== null && !isPulled(await current(store, named.id)))
		throw new CliError(`pawl starts the agents of run ${named.id} itself; pawl workflow run makes a run whose steps can be claimed`);
	const runs = named === null ? (await store.runs()).filter((r) => !isOver(r.status)).reverse() : [named];
	for (const { id } of runs) {
		const role = await roleFor(store, id, agent);
		const found =
			role === null
				? null
				: await withPull(c, place, id, async (pull): Promise<Claimed | null> => {
						await pull.settle();
						return pull.claim(role, randomBytes(16).toString("hex"), leaseMs);
					});
		if (found !== null) return c.out(`${JSON.stringify({ found: true, ...found })}\n`);
	}
	c.out(`${JSON.stringify({ found: false })}\n`);
}

/** Looked up without the lock: most who ask find nothing, and must not hold up those who work. */
async function roleFor(store: Store, run: string, agent: string): Promise<string | null> {
	const state = await current(store, run);
	if (!isPulled(state)) return null;
	return Object.keys(state.definition.roles).find((role) => openclawIds(state.definition.name, role).includes(agent)) ?? null;
}

async function bring(c: Context, place: PullPlace, name: string, output: (() => Promise<string>) | null, reason = ""): Promise<void> {
	const known = await place.store.claim(name);
	if (known === null) throw new CliError(`there is no claim ${oneLine(name, 80)}`, EXIT.failed);
	const text = output === null ? "" : await output();
	const taken = await withPull(c, place, known.run, async (pull): Promise<Taken> => {
		const claim = (await place.store.claim(name)) ?? known;
		return output === null ? pull.fail(claim, reason) : pull.complete(claim, text);
	});
	if (taken.result === "stale")
		throw new CliError(`the claim ${oneLine(name, 80)} is stale: ${taken.reason}; nothing was changed`, EXIT.failed);
	const { status } = await current(place.store, known.run);
	c.out(`${JSON.stringify({ run: known.run, step: known.handle, changed: taken.result === "taken", status })}\n`);
	if (taken.result === "taken" && output !== null && taken.error !== null)
		throw new CliError(`it was taken as failed: ${taken.error}`, EXIT.failed);
}

async function readAll(): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of process.stdin) {
		chunks.push(chunk as Buffer);
		size += (chunk as Buffer).length;
		if (size > MOST_OUTPUT) throw new CliError(`the answer is longer than ${MOST_OUTPUT} bytes`);
	}
	return Buffer.concat(chunks).toString("utf8");
}
