// Commands of pawl in the process of the test, over a repository in memory whose checkouts are folders: the real command line, application,
// engine, store and formats; no git, and agents that are no processes (quick-agent.ts). For what a run decides, prints and writes. What git,
// processes and a second pawl do, pawl.ts shows.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { Agent, AgentOutcome } from "../../src/agent.ts";
import { main } from "../../src/cli/program.ts";
import { type Part, play, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { diskFiles } from "../../src/engine/testing/files.suite.ts";
import { MemoryRepository } from "../../src/engine/testing/memory-repository.suite.ts";
import { MemorySite } from "../../src/engine/testing/memory-site.suite.ts";
import type { Services } from "../../src/runs/context.ts";
import { services } from "../../src/wiring.ts";
import { PAWL } from "./bin.ts";
import { inProcess } from "./pawl.ts";
import { quickAgents } from "./quick-agent.ts";
import { scratchFolder } from "./scratch.ts";

export interface QuickRepository {
	readonly root: string;
	readonly memory: MemorySite;
}

/** The repository of `scratch.ts`, in memory: `pawl(…)` in its folder is carried out in this process. */
export function quickRepository(files: Readonly<Record<string, string>> = {}): string {
	return quickSite(files).root;
}

export function quickSite(files: Readonly<Record<string, string>> = {}): QuickRepository {
	const root = scratchFolder("quick");
	const memory = new MemorySite({ root, files: { "README.md": "# scratch\n", ...files }, makeFiles: diskFiles });
	memory.diffs.onSave = (file, text) => {
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	};
	const opened: MemoryRepository[] = [];
	const quick: Services = {
		...services,
		openHistory: async () => new MemoryRepository(memory),
		openRepository: async () => {
			const made = new MemoryRepository(memory);
			Object.assign(made, { fresh: (_: string, work: (path: string) => Promise<unknown>) => work(root) });
			opened.push(made);
			return made;
		},
		makeAgent: async (spec, ...given) => {
			const part = quickAgents.get(spec.command ?? "");
			return part === undefined ? services.makeAgent(spec, ...given) : { agent: agentOf(part, memory), model: null };
		},
		isolation: async () => "none",
		caller: () => ({ user: "somebody", marks: [] }),
	};
	inProcess.set(root, async (args, { cwd, env = {} }, given) => {
		const parts = { stdout: "", stderr: "" };
		const out = (text: string): void => {
			parts.stdout += text;
		};
		const err = (text: string): void => {
			parts.stderr += text;
		};
		const place = { PATH: process.env["PATH"], NO_COLOR: "1", XDG_CONFIG_HOME: join(root, "no-config"), ...env };
		const code = await main(args, quick, { cwd, env: place, out, err, input: () => Readable.from([Buffer.from(given)]), self: [PAWL] });
		// The end of a process frees what it held.
		for (const repository of opened.splice(0)) repository.die();
		return { code, signal: null, ...parts, all: parts.stdout + parts.stderr };
	});
	return { root, memory };
}

function agentOf(part: Part, memory: MemorySite): Agent {
	return {
		name: "command",
		problem: async () => null,
		run: ({ who, prompt, cwd, env }, signal): Promise<AgentOutcome> => {
			const checkout = memory.at(cwd);
			const nobody = (): never => {
				throw new Error("not for this: use the harness");
			};
			const turn: Turn = {
				...who,
				...{ prompt, env, signal, checkout, files: checkout.files, nth: 0, session: undefined },
				...{ now: Date.now, ticks: Date.now, takes: nobody, hangs: nobody, dies: nobody, leaves: nobody, edit: nobody },
			};
			return play(part, turn);
		},
	};
}
