// A run that machines share, as one of them sees it: its journal says where the files are on the machine that started it; here they are below this
// machine's own root. Files and logs are brought here when somebody looks at them.
import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import { findScope } from "../core/query.ts";
import { startedWith } from "../core/started-with.ts";
import { isBelow, travels } from "../engine/travel/whose.ts";
import { textIn } from "../files/read.ts";
import { clearWay } from "../files/way.ts";
import { writeWhole } from "../files/write.ts";
import type { SharedStore, Store } from "../store.ts";
import { makePawlFolder, runFolder } from "./repository.ts";
import { logFile } from "./run-files.ts";

export const isShared = (store: Store): store is SharedStore => "dueRuns" in store;

/** The same store, whose runs have their files below this root. */
export function filesBelowRoot(store: SharedStore, root: string): SharedStore {
	const here = (events: readonly Event[]): readonly Event[] => events.map((event) => withFolder(event, root));
	return {
		...store,
		events: async (...of) => here(await store.events(...of)),
		update: async (run, after, decide) => {
			const { events, result } = await store.update(run, after, (others) => decide(here(others)));
			return { events: here(events), result };
		},
	};
}

function withFolder(event: Event, root: string): Event {
	if (event.event !== "run_created") return event;
	const { options } = event;
	return { ...event, options: { ...options, shell: { ...options.shell, sharedDir: runFolder(root, event.id) } } };
}

/** The same run with files of its input in this checkout, for what is written beside the journal. Without
 * those that are not here. */
export function withInputHere(state: RunState, root: string): RunState {
	const { root: from } = startedWith(state);
	if (from === "" || from === root) return state;
	const input = Object.entries(state.input).flatMap(([name, value]): [string, string][] => {
		if (!value.startsWith(`${from}/`)) return [[name, value]];
		const file = join(root, value.slice(from.length));
		return existsSync(file) ? [[name, file]] : [];
	});
	return { ...state, input: Object.fromEntries(input) };
}

/** Up to which version the files of the run are here. */
const BROUGHT = ".brought";

/** Brings the files of a run that are new, for somebody who looks at them: nothing here goes back. Others may do the same at the same time. */
export async function bringFiles(store: Store, state: RunState): Promise<void> {
	if (!isShared(store)) return;
	const folder = folderHere(state);
	const known = Number(textIn(join(folder, BROUGHT), { max: 100 }) ?? 0) || 0;
	const files = (await store.files(state.id, known)).filter(({ path }) => isBelow(path) && travels(path));
	for (const { path, bytes } of files) {
		const file = join(folder, path);
		clearWay(folder, file);
		if (bytes === null) rmSync(file, { recursive: true, force: true });
		else await writeWhole(file, bytes);
	}
	const last = files.at(-1);
	if (last !== undefined) await writeWhole(join(folder, BROUGHT), String(last.version));
}

/** The folder of the run on this machine; makes it. */
export function folderHere(state: RunState): string {
	const { sharedDir } = startedWith(state);
	if (!existsSync(sharedDir)) makePawlFolder(dirname(dirname(dirname(sharedDir))));
	mkdirSync(sharedDir, { recursive: true });
	return sharedDir;
}

/** Which log. */
export interface LogOf {
	readonly scope: string;
	readonly step: string;
}

/** Brings what is new of these logs to this machine; `scope`: if all of them are of one. Others may do the same at the same time: a byte has the same place for everybody. */
export async function bringLogs(store: Store, state: RunState, wanted: (log: LogOf) => boolean, scope?: string): Promise<void> {
	if (!isShared(store)) return;
	// A name becomes a path here, and any worker could have written it.
	const isName = ({ scope, step }: LogOf): boolean => findScope(state, scope) !== undefined && /^\w[\w.-]*$/.test(step);
	for (const log of await store.logs(state.id, scope)) if (isName(log) && wanted(log)) await bringLog(store, state, log);
}

async function bringLog(store: SharedStore, state: RunState, { scope, step, size }: LogOf & { readonly size: number }): Promise<void> {
	const file = logFile(state, scope, step);
	clearWay(folderHere(state), file);
	const fd = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
	try {
		let at = fstatSync(fd).size;
		for (;;) {
			const bytes = at < size ? await store.readLog(state.id, scope, step, at) : new Uint8Array();
			if (bytes.length === 0) return;
			for (let put = 0; put < bytes.length; ) put += writeSync(fd, bytes, put, bytes.length - put, at + put);
			at += bytes.length;
		}
	} finally {
		closeSync(fd);
	}
}
