// What a person can do next in this folder: runs that wait for them, what is missing, what lies here that a run could start with.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RunSummary, Store } from "../store.ts";
import type { RunsContext } from "./context.ts";
import { configuresAgent } from "./doctor/doctor.ts";
import { inPath } from "./doctor/machine.ts";
import { isDriven } from "./hold.ts";
import { openReader } from "./open.ts";
import { userConfigFile } from "./repository.ts";

export interface NextThing {
	/** What is here, or missing. */
	readonly text: string;
	/** What to type. */
	readonly command: string;
}

/** More than these nobody reads. */
const MOST_RUNS = 5;

export async function nextHere(c: RunsContext): Promise<readonly NextThing[]> {
	const found = await c.services.openRepository(c.cwd, () => ({ setup: null, copy: [], link: [] }));
	const demo = { text: "see a workflow at work, with scripted agents and without a model", command: "pawl demo" };
	if ("problem" in found)
		return [
			found.root === undefined
				? { text: found.problem, command: "git init" }
				: { text: "this git repository has no commit yet", command: 'git commit --allow-empty -m "first"' },
			demo,
		];
	const store = await openReader(c, found.root);
	try {
		const runs = store === null ? [] : [...(await openRuns(store)), ...(await failedRun(store))];
		const agents = await c.services.knownAgents();
		const hasAgent = agents.some(({ program }) => inPath(program, c.env["PATH"] ?? "") !== null) || (await namesAgent(c, found.root));
		return [
			...runs,
			...(hasAgent ? [] : [{ text: `none of ${agents.map(({ name }) => name).join(", ")} is installed here`, command: "pawl doctor" }]),
			...(existsSync(join(found.root, "pawl.yml")) ? [] : [{ text: "tell pawl which checks the work has to pass", command: "pawl init" }]),
			...(await c.services.inputsIn(found.tree().path)),
			{ text: "do one thing here, in ten small steps", command: 'pawl "REQUEST"' },
			{ text: "turn a larger idea into a list of small stories", command: 'pawl plan "IDEA"' },
			...(store === null ? [demo] : [{ text: "everything in a browser", command: "pawl ui" }]),
		];
	} finally {
		await store?.close();
	}
}

/** A pawl.yml with mistakes counts as one that names an agent: whatever is started next says what is wrong with it. */
async function namesAgent(c: RunsContext, root: string): Promise<boolean> {
	const { loadConfig } = await import("../config.ts");
	const loaded = loadConfig(root, await userConfigFile(c));
	return !loaded.ok || configuresAgent(loaded.config);
}

/** The newest run, if it failed: older failures are history. */
async function failedRun(store: Store): Promise<NextThing[]> {
	const [newest] = await store.runs({ limit: 1 });
	if (newest?.status !== "failed") return [];
	return [{ text: `${newest.workflow} "${newest.title}" failed: see why, then try again`, command: `pawl status ${newest.id}` }];
}

async function openRuns(store: Store): Promise<NextThing[]> {
	const open = (await store.runs({ open: true })).slice(0, MOST_RUNS);
	return Promise.all(
		open.map(async (run) => {
			const driven = await isDriven(store, run.id, run.status);
			return { text: `${run.workflow} "${run.title}" ${stateOf(run, driven)}`, command: `pawl ${verbOf(run, driven)} ${run.id}` };
		}),
	);
}

function stateOf({ status }: RunSummary, driven: boolean): string {
	if (status === "running") return driven ? "is at work" : "was cut off";
	return status === "waiting" ? "waits for you" : status === "limited" ? "has used up a limit" : `is ${status}`;
}

function verbOf({ status }: RunSummary, driven: boolean): string {
	if (status === "waiting" || status === "limited") return "status";
	return driven ? "watch" : "resume";
}
