// How a worker describes itself to others.
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { protocolLabels } from "../../core/assign/labels.ts";
import type { WorkerCard, Workers } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { inPath } from "../doctor/machine.ts";

/** `labels`: its own, besides those that are found. */
export async function cardOf(
	c: RunsContext,
	{ repo, lanes, labels, leaseMs }: Pick<WorkerCard, "repo" | "lanes" | "labels" | "leaseMs">,
): Promise<Omit<WorkerCard, "draining">> {
	const host = hostname();
	const id = `${host.replace(/[^A-Za-z0-9-]+/g, "-").slice(0, 40)}-${randomBytes(3).toString("hex")}`;
	const all = [...new Set([...labels, ...(await foundLabels(c)), ...protocolLabels()])].sort();
	return { id, host, version: c.services.version, labels: all, lanes, repo, leaseMs };
}

/** What a workflow can require of a machine without anybody having to say it: its system, and the agents that are installed. */
async function foundLabels(c: RunsContext): Promise<string[]> {
	const agents = (await c.services.knownAgents()).filter(({ program }) => inPath(program, c.env["PATH"] ?? "") !== null);
	return [SYSTEMS[process.platform] ?? process.platform, ...agents.map(({ name }) => `agent:${name}`)];
}

const SYSTEMS: Readonly<Record<string, string>> = { darwin: "macos", win32: "windows" };

/** Workers take lanes of every run of a database, so all of them have to work on the same repository. It may have several addresses: nobody is refused. */
export async function warnOfOtherRepositories(workers: Workers, repo: string, warn: (text: string) => void): Promise<void> {
	const other = (await workers.list()).find((worker) => !worker.gone && worker.repo !== repo);
	if (other === undefined) return;
	warn(
		`worker ${other.id} of this database works on ${other.repo}. If that is not ${repo} by another address, use another database: a database is for one repository`,
	);
}
