// pawl in a process that carries out one command line after the other, for tests: the command, its folder, its environment and its standard
// input come as a message, and what it printed and its exit code go back. The program is the same; what it saves is a start of Node and
// loading and warming up the program each time, which is half of what a short run costs.
import { Readable } from "node:stream";
import { main } from "../../src/cli/program.ts";
import { services } from "../../src/wiring.ts";

export interface Job {
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	readonly input: string;
}

/** Without a code, something that it printed so far. */
export type Said = { readonly stdout: string } | { readonly stderr: string } | { readonly code: number };

const tell = (said: Said): void => void process.send?.(said);
for (const name of ["stdout", "stderr"] as const) {
	const write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
		const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
		tell(name === "stdout" ? { stdout: text } : { stderr: text });
		const written = rest.at(-1);
		if (typeof written === "function") written();
		return true;
	};
	Object.assign(process[name], { write });
	// Each command adds a listener of its own.
	process[name].setMaxListeners(0);
}
// What pawl starts as a pawl of its own is a fresh one.
const [, , START = ""] = process.argv;
process.execArgv.length = 0;

process.on("message", (job: Job) => void carryOut(job));
process.on("disconnect", () => process.exit());
const idle = process.getActiveResourcesInfo().length;

async function carryOut({ args, cwd, env, input }: Job): Promise<void> {
	for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
	Object.assign(process.env, env);
	process.chdir(cwd);
	process.argv = [process.execPath, START, ...args];
	Object.defineProperty(process, "stdin", { value: Readable.from(input === "" ? [] : [Buffer.from(input)]), configurable: true });
	const code = await main(args, services);
	// A process of its own would end when nothing is left to be waited for.
	while (process.getActiveResourcesInfo().length > idle) await new Promise((again) => setTimeout(again, 2).unref());
	// Its folder may be removed now.
	process.chdir("/");
	tell({ code });
}
