// Agents that pawl did not start claim steps of a run and hand in the results.
import { randomBytes } from "node:crypto";
import { closest } from "../../core/closest.ts";
import type { RunStatus } from "../../core/model.ts";
import type { Claimed, Pull, TakenResult } from "../../engine/pull.ts";
import type { Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { current, findRun, openReader } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { findHistory } from "../repository.ts";
import { isPulled, type OpenRuns, withPull, withRuns } from "./open-pulled.ts";

/** How many runs are looked through for the ids of agents. */
const MOST_RUNS = 50;

export interface WantedStep {
	/** The agent's id in the workflow. */
	readonly agent: string;
	/** Only of this run. */
	readonly run: string | undefined;
	/** null: as long as the step's time limit. */
	readonly leaseMs: number | null;
}

/** null: nothing waits for this agent. */
export function claimStep(c: RunsContext, wanted: WantedStep): Promise<Claimed | null> {
	return firstOf(c, wanted, (pull, role) => pull.claim(role, randomBytes(16).toString("hex"), wanted.leaseMs));
}

/** Whether a step waits for this agent. Takes nothing, so that a timer can ask before it starts a session that costs money. */
export async function peekStep(c: RunsContext, wanted: Omit<WantedStep, "leaseMs">): Promise<boolean> {
	return (await firstOf(c, wanted, async (pull, role) => ((await pull.waits(role)) ? true : null))) ?? false;
}

/** What `look` finds in the oldest run that has something for this agent. */
async function firstOf<T>(
	c: RunsContext,
	{ agent, run }: Pick<WantedStep, "agent" | "run">,
	look: (pull: Pull, role: string) => Promise<T | null>,
): Promise<T | null> {
	// Timers may ask before the first run: a repository without runs is not an error.
	if (run === undefined && !(await hasRuns(c))) return null;
	return withRuns(c, async (runs) => {
		let known = false;
		for (const id of await runsFor(c, runs, run)) {
			const role = await roleFor(c, runs.store, id, agent);
			if (role === null) continue;
			known = true;
			const found = await withPull(c, runs, id, async (pull) => {
				await pull.settle();
				return look(pull, role);
			});
			if (found !== null) return found;
		}
		if (!known) await refuseTypo(c, runs.store, agent);
		return null;
	});
}

/** An agent with a mistyped id would wait forever in silence. */
async function refuseTypo(c: RunsContext, store: Store, agent: string): Promise<void> {
	const ids = new Set<string>();
	for (const { id } of await store.runs({ limit: MOST_RUNS })) {
		const { definition } = await current(store, id);
		for (const role of Object.keys(definition.roles)) for (const name of c.services.agentIds(definition.name, role)) ids.add(name);
	}
	const meant = ids.has(agent) ? null : closest(agent, ids);
	if (meant !== null) throw new Refusal("invalid", `there is no agent \`${agent.slice(0, 80)}\`: did you mean \`${meant}\`?`);
}

async function hasRuns(c: RunsContext): Promise<boolean> {
	const store = await openReader(c, (await findHistory(c)).root);
	await store?.close();
	return store !== null;
}

/** Oldest first. */
async function runsFor(c: RunsContext, { store, repository }: OpenRuns, name: string | undefined): Promise<string[]> {
	if (name === undefined) return (await store.runs({ open: true })).map((run) => run.id).reverse();
	const { id } = await findRun(c, repository, store, name, "repository");
	if (!isPulled(await current(store, id)))
		throw new Refusal("refused", `pawl starts the agents of run ${id} itself; pawl workflow run makes a run whose steps can be claimed`);
	return [id];
}

/** Looks without the lease: most agents find nothing, and must not hold up those that work. */
async function roleFor(c: RunsContext, store: Store, run: string, agent: string): Promise<string | null> {
	const state = await current(store, run);
	if (!isPulled(state)) return null;
	return Object.keys(state.definition.roles).find((role) => c.services.agentIds(state.definition.name, role).includes(agent)) ?? null;
}

export interface HandedIn {
	readonly run: string;
	/** The claim's handle. */
	readonly step: string;
	/** false: the same result was handed in before. */
	readonly changed: boolean;
	/** The run's status afterwards. */
	readonly status: RunStatus;
	/** Why a result that claims success counts as failed. */
	readonly failure: string | null;
	/** What a person is asked before the result counts. */
	readonly question: string | null;
}

/** The agent's whole answer; read only if the claim exists. */
export function completeStep(c: RunsContext, claim: string, answer: () => Promise<string>): Promise<HandedIn> {
	return bring(c, claim, answer);
}

export function failStep(c: RunsContext, claim: string, reason: string): Promise<HandedIn> {
	return bring(c, claim, null, reason);
}

function bring(c: RunsContext, name: string, answer: (() => Promise<string>) | null, reason = ""): Promise<HandedIn> {
	return withRuns(c, async (runs) => {
		const known = await runs.store.claim(name);
		// Not `not_found`: to an agent with a result, a claim that never existed and one that is over are the same.
		if (known === null) throw new Refusal("conflict", `there is no claim ${shown(name)}`);
		const text = answer === null ? "" : await answer();
		const taken = await withPull(c, runs, known.run, async (pull): Promise<TakenResult> => {
			const claim = (await runs.store.claim(name)) ?? known;
			return answer === null ? pull.fail(claim, reason) : pull.complete(claim, text);
		});
		if (taken.result === "stale") throw new Refusal("conflict", `the claim ${shown(name)} is stale: ${taken.reason}; nothing was changed`);
		const { status } = await current(runs.store, known.run);
		const { error, question } = taken.result === "taken" && answer !== null ? taken : { error: null, question: null };
		return { run: known.run, step: known.handle, changed: taken.result === "taken", status, failure: error, question };
	});
}

/** What an agent gave as the name of its claim, on one line. */
const shown = (name: string): string =>
	name
		.replaceAll(/[^\x20-\x7e]+/g, " ")
		.trim()
		.slice(0, 80);
