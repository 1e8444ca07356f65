// The words that a shell completes here: runs, workflows, agents.
import type { RunsContext } from "../context.ts";
import { openReader } from "../open.ts";
import { configOf } from "../repository.ts";
import { workflowsHere } from "../workflows.ts";

export const KINDS = ["runs", "workflows", "agents"] as const;
export type CompletedKind = (typeof KINDS)[number];

const MOST_RUNS = 30;

/** Shells expand what they are given, and a repository may be anybody's. */
const PLAIN = /^[\w.-]+$/;

export const wordsOf = async (c: RunsContext, kind: CompletedKind): Promise<readonly string[]> =>
	(await found(c, kind)).filter((word) => PLAIN.test(word));

/** None where there are none, and none outside of a repository: a shell has no use for an error. */
async function found(c: RunsContext, kind: CompletedKind): Promise<readonly string[]> {
	if (kind === "workflows") return [...new Set((await workflowsHere(c)).map(({ name }) => name))];
	const repository = await c.services.openRepository(c.cwd, () => ({ setup: null, copy: [], link: [] }));
	const root = "problem" in repository ? null : repository.root;
	if (kind === "agents") {
		const own = root === null ? [] : Object.keys((await configOf(c, root).catch(() => null))?.agents ?? {});
		return [...new Set([...own, ...(await c.services.knownAgents()).map(({ name }) => name), "command", "scripted"])];
	}
	const store = root === null ? null : await openReader(c, root);
	try {
		const runs = (await store?.runs({ limit: MOST_RUNS })) ?? [];
		return runs.length === 0 ? [] : ["latest", ...runs.map(({ id }) => id)];
	} finally {
		await store?.close();
	}
}
