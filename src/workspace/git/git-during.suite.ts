// Counts the git processes of a piece of work.
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** The git commands that are started meanwhile. */
export async function gitDuring(work: () => Promise<void>): Promise<string[]> {
	const started: ChildProcess[] = [];
	// It is announced before it knows its command.
	const note = (message: unknown): void => void started.push((message as { readonly process: ChildProcess }).process);
	subscribe("child_process", note);
	try {
		await work();
	} finally {
		unsubscribe("child_process", note);
	}
	// Settings come before the name of the command, each after a -c.
	const nameOf = ([, ...args]: readonly string[]) => args.find((arg, at) => arg !== "-c" && args[at - 1] !== "-c") ?? "";
	return started.filter(({ spawnfile }) => spawnfile === "git").map(({ spawnargs }) => nameOf(spawnargs));
}
