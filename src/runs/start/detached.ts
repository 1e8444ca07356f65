// Starts a run as `pawl run … --detach` does, for a front end that drives none: everything is read and checked here, then an engine of its own drives it.
import { realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { RunsContext } from "../context.ts";
import { UNOBSERVED } from "../drive/observer.ts";
import { Refusal } from "../refusal.ts";
import { findHistory } from "../repository.ts";
import { prepare } from "./prepare.ts";
import { startRun } from "./start.ts";
import type { StartOptions } from "./start-options.ts";

export interface RunWanted {
	readonly workflow: string;
	/** What is to be done, by the name of the input: `request`, or a flag that a format declares instead of a text. */
	readonly inputs: Readonly<Record<string, string>>;
	readonly options: StartOptions;
}

/** The names of the inputs that a run can be started with. */
export const inputNames = (c: RunsContext): string[] => [
	"request",
	...Object.entries(c.services.flags).flatMap(([name, flag]) => (flag.insteadOfText === undefined ? [] : [name])),
];

/** Returns the run's id. Refuses to continue an unfinished run on the same file. */
export async function startDetached(c: RunsContext, { workflow, inputs, options }: RunWanted): Promise<string> {
	const { request, ...flags } = inputs;
	const prepared = await prepare(c, workflow, request, { ...options, flags: { ...options.flags, ...flags } });
	return (await startRun(c, prepared, UNOBSERVED, { background: true, onlyNew: true })).run;
}

/** For a front end whose callers may not say more than that: one input, and files of the repository alone. */
export async function startConfined(c: RunsContext, wanted: RunWanted): Promise<string> {
	const [input, ...more] = Object.entries(wanted.inputs);
	if (input === undefined || more.length > 0) throw new Refusal("invalid", `give one of ${inputNames(c).join(", ")}`);
	const [name, value] = input;
	const isFile = c.services.flags[name]?.insteadOfText === "FILE";
	return startDetached(c, { ...wanted, inputs: { [name]: isFile ? inside((await findHistory(c)).root, value) : value } });
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
		throw new Refusal("invalid", `${path} is not inside the repository`);
	// A file system may ignore case.
	if (within(join(root, ".git").toLowerCase(), file.toLowerCase())) throw new Refusal("invalid", `${path} is git's`);
	return file;
}
