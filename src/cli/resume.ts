// pawl resume [RUN]: goes on with a run that was stopped, paused or killed, as it was started.
import { Command } from "commander";
import { exceeded } from "../core/decide/budget.ts";
import type { RunState } from "../core/model.ts";
import { deliver } from "../runs/deliver.ts";
import { isLive } from "../runs/hold.ts";
import { current, findRun, openExisting } from "../runs/open.ts";
import { openRepository } from "../runs/place.ts";
import { recoveryText } from "../runs/recovery.ts";
import { Refusal } from "../runs/refusal.ts";
import type { Store } from "../store.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { drive, shellOf } from "./drive.ts";
import { foreignRun } from "./foreign.ts";
import { isPulled, type PullPlace, withPull } from "./pull-run.ts";
import { startRun } from "./start.ts";

export function command(c: Context): Command {
	return new Command("pawl resume")
		.description("go on with a run that was stopped, paused or killed, with all that it was started with")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--json", "the journal as JSON lines on stdout")
		.option("--agent <name>", "for a run that is taken over from a state file: its agent, as in pawl run")
		.option("--agent-command <cmd>", "for a run that is taken over from a state file: the command of the agent `command`")
		.option("--script <file>", "for a run that is taken over from a state file: the script of the agent `scripted`")
		.option("--model <name>", "for a run that is taken over from a state file: the model")
		.option("--yes", "for a run that is taken over from a state file: approve what waits for approval")
		.action(async (name: string | undefined, flags: Flags) => {
			const { repository, config } = await openRepository(c);
			const foreign =
				name === undefined || name === "latest" ? await foreignRun(c, repository, { ...flags, role: {}, fallback: [], timeout: {} }) : null;
			if (foreign?.standing && !foreign.standing.unfinished)
				throw new CliError(`${foreign.standing.file} is the state of a run that is completed: there is nothing to go on with`);
			if (foreign) return c.exit(await startRun(c, foreign));
			refuseAgent(flags);
			const store = await openExisting(c, repository.root);
			try {
				const { id: run } = await findRun(repository.root, store, name);
				const state = await current(store, run);
				const json = flags.json ?? false;
				if (isPulled(state)) return await pulled(c, { store, repository, config }, state);
				// What was recorded but not carried out (a crash right after the end, a decision) is carried out in any case.
				const left = (await store.pending(run)).length + (await store.inbox(run)).length > 0;
				const changed = await c.services.changedByHand(shellOf(state).sharedDir, repository.root, await store.events(run));
				if (changed !== null && "problem" in changed) throw new CliError(changed.problem);
				if (changed === null && !left && state.status === "completed") return alreadyDone(c, state, json);
				if ((changed === null && !left) || isCutOff(state)) await refuse(c, store, state);
				const at = c.now();
				c.exit(
					await drive(c, {
						store,
						run,
						repository,
						config,
						json,
						first: [
							{ type: "resume", at },
							{ type: "advance", at },
						],
					}),
				);
			} finally {
				await store.close();
			}
		});
}

interface Flags {
	readonly json?: boolean;
	readonly agent?: string;
	readonly agentCommand?: string;
	readonly script?: string;
	readonly model?: string;
	readonly yes?: boolean;
}

function refuseAgent({ json: _, ...flags }: Flags): void {
	const [first] = Object.keys(flags);
	if (first !== undefined)
		throw new CliError(
			`--${first.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is for a run that is taken over from a state file; this one goes on as it was started`,
		);
}

/** Nobody is started; what was stopped may be claimed again, and what pawl itself has to do is done. */
async function pulled(c: Context, place: PullPlace, state: RunState): Promise<void> {
	const at = c.now();
	await deliver(c, place.store, state.id, { type: "resume", at });
	await withPull(c, place, state.id, (pull) => pull.settle());
	const { status } = await current(place.store, state.id);
	c.out(`run ${state.id} is ${status}; agents take its steps with: pawl step claim AGENT --run ${state.id}\n`);
	c.exit(status === "waiting" ? EXIT.waits : EXIT.ok);
}

function alreadyDone(c: Context, state: RunState, json: boolean): void {
	if (json)
		c.out(
			`${JSON.stringify({ event: "run_finished", at: c.now(), run: state.id, status: state.status, reason: state.reason, exit_code: EXIT.ok })}\n`,
		);
	else c.out(`run ${state.id} is completed: there is nothing left to do\n`);
}

const EXTEND: Readonly<Record<string, string>> = { cost: "--max-cost USD", time: "--max-time DURATION", iterations: "--max-iterations N" };

/** Of a workflow that does not go on: one that has begun. Before that nothing is lost, and a run in the background starts this way. */
const isCutOff = ({ definition, status, root }: RunState): boolean =>
	definition.resume === "never" && (status !== "running" || root.steps.some((step) => step.attempt > 0));

async function refuse(c: Context, store: Store, state: RunState): Promise<void> {
	const { id, status } = state;
	if (isCutOff(state))
		throw new CliError(
			`the workflow ${state.definition.name} does not go on with a run: ${recoveryText(state) ?? `start it again with pawl run ${state.definition.name}`}`,
		);
	if (status === "failed")
		throw new CliError(
			`run ${id} failed: ${state.reason ?? "no reason is known"}\npawl retry ${id} lets what failed go on from the step that failed`,
			EXIT.failed,
		);
	if (status === "cancelled" || status === "refused") throw new CliError(`run ${id} is ${status}: it cannot go on`);
	const over = status === "stopped" && !(await isLive(store, id)) ? exceeded(state, c.now()) : null;
	if (over !== null)
		throw new Refusal("refused", `${over.text}; raise it with: pawl extend ${id} ${EXTEND[over.budget] ?? ""}`.trimEnd(), "stopped");
}
