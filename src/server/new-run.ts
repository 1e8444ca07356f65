// Starts a run as `pawl run … --detach` does: everything is read and checked here, then an engine of its own drives it.
import { realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Wish } from "../core/assign/assignment.ts";
import type { RunsContext } from "../runs/context.ts";
import { UNOBSERVED } from "../runs/drive/observer.ts";
import type { ListedRun } from "../runs/look/list.ts";
import type { RunsReader } from "../runs/look/reader.ts";
import { personFor } from "../runs/person.ts";
import { Refusal } from "../runs/refusal.ts";
import { prepare } from "../runs/start/prepare.ts";
import { startRun } from "../runs/start/start.ts";
import type { StartOptions } from "../runs/start/start-options.ts";
import { HttpError } from "./answer.ts";
import type { StartBody } from "./schemas.ts";

const DRIVEN_MS = 15_000;
const POLL_MS = 50;

export async function newRun(c: RunsContext, reader: RunsReader, body: StartBody): Promise<ListedRun> {
	const [input, ...more] = Object.entries(body.inputs);
	if (input === undefined || more.length > 0) {
		const files = Object.entries(c.services.flags).flatMap(([name, flag]) => (flag.insteadOfText === undefined ? [] : [name]));
		throw new HttpError("invalid", `give one of ${["request", "issue", ...files].join(", ")}`);
	}
	personFor(c, null);
	const [name, value] = input;
	const isFile = Object.hasOwn(c.services.flags, name);
	const file = isFile ? { [name]: inside(reader.repository.root, value) } : {};
	const options = { ...optionsOf(body), flags: { ...body.flags, ...file } };
	const prepared = await prepare(c, body.workflow, isFile ? undefined : value, options).catch((error: unknown) => {
		// What the body names and does not exist is a mistake in the body; the address is right.
		throw error instanceof Refusal && error.code === "not_found" ? new Refusal("invalid", error.message) : error;
	});
	const { run } = await startRun(c, prepared, UNOBSERVED, { background: true, onlyNew: true });
	return rowOf(c, reader, run);
}

/** A file of the repository, also behind links. */
function inside(root: string, path: string): string {
	const file = resolve(root, path);
	let real = file;
	try {
		real = realpathSync(file);
	} catch {
		// It does not exist: the reader says so.
	}
	const within = (folder: string, one: string) => one.startsWith(folder + sep);
	if (!within(realpathSync(root), real) && !(real === file && within(root, file)))
		throw new HttpError("invalid", `${path} is not inside the repository`);
	if (within(join(root, ".git"), file)) throw new HttpError("invalid", `${path} is git's`);
	return file;
}

function optionsOf({ options }: StartBody): StartOptions {
	const { role, ...o } = options;
	const given = {
		agents: o.agents,
		...chosen(o),
		role: role === undefined ? undefined : Object.fromEntries(Object.entries(role).map(([name, text]) => [name, agentOf(text)])),
		fallback: o.fallback,
		base: o.base,
		timeout: o.timeout,
		maxCost: o.max_cost,
		allowUnknownCost: o.allow_unknown_cost,
		maxTime: o.max_time,
		maxWait: o.max_wait,
		sharedDir: o.shared_dir,
		maxIterations: o.max_iterations,
		delay: o.delay,
		yes: o.yes,
		fresh: o.fresh,
		pr: o.pr,
		comment: o.comment,
		checks: o.no_checks ? false : o.checks,
	};
	return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as StartOptions;
}

/** What is said for everything, and by step type or role. */
function chosen(o: Pick<StartBody["options"], "agent" | "model" | "effort">): Pick<StartOptions, "agent" | "model" | "effort" | "only"> {
	const only: Record<string, Wish> = {};
	const all: Record<string, string> = {};
	for (const key of ["agent", "model", "effort"] as const) {
		const said = o[key];
		if (typeof said === "string") all[key] = said;
		else for (const [name, value] of Object.entries(said ?? {})) only[name] = { ...only[name], [key]: value };
	}
	return { ...all, ...(Object.keys(only).length > 0 ? { only } : {}) };
}

function agentOf(text: string): { readonly agent: string; readonly model: string | null } {
	const [agent = "", ...model] = text.split(":");
	return { agent, model: model.length === 0 ? null : model.join(":") };
}

/** Its row, once its engine has it, or has already ended. */
async function rowOf(c: RunsContext, reader: RunsReader, run: string): Promise<ListedRun> {
	for (const end = c.now() + DRIVEN_MS; ; await sleep(POLL_MS)) {
		const row = (await reader.runs()).find((one) => one.row.run === run)?.row;
		if (row === undefined) throw new Refusal("internal", `run ${run} was created and is gone`);
		if (row.driven || row.status !== "running" || c.now() > end) return row;
	}
}
