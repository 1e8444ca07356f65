// Starts postgres.child.ts, and hands out the lines that it prints.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { childProgram } from "../../child.suite.ts";

export interface Child {
	readonly pid: number;
	/** The next line; what the process says in the end if it ended instead. */
	line(): Promise<string>;
	kill(): Promise<void>;
}

export function startChild(mode: string, url: string, run: string, argument: string): Child {
	const file = childProgram(join(import.meta.dirname, "postgres.child.ts"));
	const started = spawn(process.execPath, [file, mode, url, run, argument], { stdio: ["pipe", "pipe", "inherit"] });
	const exited = once(started, "exit");
	const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
	return {
		pid: started.pid ?? 0,
		line: async () => {
			const { done, value } = await lines.next();
			return done === true ? "ended" : value;
		},
		kill: async () => {
			started.kill("SIGKILL");
			await exited;
		},
	};
}
