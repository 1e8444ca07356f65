// Commands of pawl in the process of the test, over a repository in memory whose checkouts are folders: the real command line, application,
// engine, store and formats; no git, and agents that are no processes (quick-agent.ts). For what a run decides, prints and writes. What git,
// processes and a second pawl do, pawl.ts shows.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { perform } from "../../src/agent/scripted/actions.ts";
import { fill, loadScript } from "../../src/agent/scripted/script.ts";
import { scriptedAgent } from "../../src/agent/scripted/scripted.ts";
import type { Agent, AgentOutcome } from "../../src/agent.ts";
import { main } from "../../src/cli/program.ts";
import type { AgentSpec } from "../../src/core/started-with.ts";
import { type Part, play, type Turn } from "../../src/engine/testing/cast.suite.ts";
import { diskFiles } from "../../src/engine/testing/files.suite.ts";
import { changedPaths } from "../../src/engine/testing/memory-git.suite.ts";
import { MemoryRepository } from "../../src/engine/testing/memory-repository.suite.ts";
import { MemorySite } from "../../src/engine/testing/memory-site.suite.ts";
import type { Services } from "../../src/runs/context.ts";
import { services } from "../../src/wiring.ts";
import { PAWL } from "./bin.ts";
import { inProcess } from "./pawl.ts";
import { quickAgents } from "./quick-agent.ts";
import { scratchFolder } from "./scratch.ts";

/** What of the user's checkout is in no commit. */
export const uncommitted = ({ user }: MemorySite): readonly string[] => changedPaths(user.committed(), user.look());

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
	const quick = (opened: MemoryRepository[]): Services => ({
		...services,
		openHistory: async () => new MemoryRepository(memory),
		openRepository: async () => {
			const made = new MemoryRepository(memory);
			Object.assign(made, { fresh: (_: string, work: (path: string) => Promise<unknown>) => work(root) });
			opened.push(made);
			return made;
		},
		makeAgent: async (spec, config, ...given) => {
			const part = quickAgents.get(spec.command ?? config.agents[spec.agent]?.command ?? "");
			const agent = part === undefined ? scriptedIn(spec, memory) : agentOf(part, memory);
			return agent === null ? services.makeAgent(spec, config, ...given) : { agent, model: null };
		},
		isolation: async () => "none",
		caller: () => ({ user: "somebody", marks: [] }),
	});
	inProcess.set(root, async (args, { cwd, env = {} }, given) => {
		const parts = { stdout: "", stderr: "" };
		const opened: MemoryRepository[] = [];
		const out = (text: string): void => {
			parts.stdout += text;
		};
		const err = (text: string): void => {
			parts.stderr += text;
		};
		const place = { PATH: process.env["PATH"], NO_COLOR: "1", XDG_CONFIG_HOME: join(root, "no-config"), ...env };
		const code = await main(args, quick(opened), {
			cwd,
			env: place,
			out,
			err,
			input: () => Readable.from([Buffer.from(given)]),
			self: [PAWL],
		});
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

/** The agent `scripted` with the script of the command line, if its script can be read; a commit of it is one in memory. */
function scriptedIn({ agent, script: file = null }: AgentSpec, memory: MemorySite): Agent | null {
	const loaded = agent === "scripted" && file !== null && existsSync(file) ? loadScript(readFileSync(file, "utf8"), file) : null;
	if (!loaded?.ok) return null;
	return scriptedAgent({
		name: agent,
		script: loaded.script,
		perform: async (action, session) => {
			if (action.kind !== "commit") return perform(action, session);
			const [checkout, message] = [memory.at(session.request.cwd), fill(action.value, session.call)];
			await session.log({ type: "action", action: "commit", message });
			if (changedPaths(checkout.committed(), checkout.look()).length > 0) checkout.commitAll(message);
			return null;
		},
	});
}
