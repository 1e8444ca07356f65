// A repository with a task document, a fake agent that plays all roles, and a look at agent-state.json as it was during each call.
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MemorySite } from "../../src/engine/testing/memory-site.suite.ts";
import { type AgentState, readAgentState } from "../../src/format/agent-state/document.ts";
import { commit, echoTo, type FakeAgent, fakeAgent, keep, type Rule, say, usage } from "./fake-agent.ts";
import { type Ended, pawl, type Started, startPawl } from "./pawl.ts";
import { quickAgent } from "./quick-agent.ts";
import { quickSite } from "./quick-pawl.ts";
import { exists, list, put, read, repository, scratchFolder } from "./scratch.ts";

export const DOC = "tasks/demo.md";
const criteria = (id: string) => [`File exists \`test -f work/${id}.txt\``, "Notes are written"];

/** Phases with these tasks. */
export const documentOf = (...phases: readonly (readonly string[])[]): string =>
	`# Demo\n\nabout-marker\n\n${phases
		.map(
			(tasks, p) =>
				`## Phase ${p + 1}: Part ${p + 1}\n\n${tasks
					.map(
						(id) =>
							`### Task ${id}: Job ${id}\n\nDo marker-${id}.\n\n${criteria(id)
								.map((c) => `- [ ] ${c}`)
								.join("\n")}\n`,
					)
					.join("\n")}`,
		)
		.join("\n")}`;

export interface Told {
	readonly status?: string;
	readonly met?: Readonly<Record<string, boolean>>;
	readonly learn?: readonly string[];
	readonly cost?: number;
	readonly file?: string;
}

/** What an executor does: a file, a commit, its report. */
export const built = ({ status = "done", met = {}, learn = [], cost, file = "work/$PAWL_STORY_ID.txt" }: Told = {}): string[] => {
	const all = { file_exists: true, notes_are_written: true, ...met };
	const report = [
		`STATUS: ${status}`,
		"CRITERIA:",
		...Object.entries(all).map(([k, v]) => `- ${k}: ${v}`),
		...learn.map((l) => `LEARNING: ${l}`),
	];
	return [
		echoTo(file, "$PAWL_STORY_ID $n"),
		commit("work"),
		...(cost === undefined ? [] : [usage({ cost_usd: cost })]),
		say(report.join("\n")),
	];
};
export const checked = (action: string, severity?: string, resolution = "resolve-it", type = "pattern"): string[] => [
	say(
		severity === undefined
			? `ACTION: ${action}`
			: `ACTION: ${action}\nSEVERITY: ${severity}\nCONFLICT_TYPE: ${type}\nRESOLUTION: ${resolution}`,
	),
];
/** Until the test says so. */
export const waits = (name: string): string => `touch "$home/at-${name}"; while [ ! -e "$home/go-${name}" ]; do sleep 0.05; done`;
export const SNAP = keep(".claude/agent-state.json", "agent-state");

const USUAL: readonly Rule[] = [
	{ when: { type: "plan" }, do: [say("STATUS: done")] },
	...["pre_task", "post_task", "on_demand"].map((type) => ({ when: { type }, do: checked("pass") })),
	...["execute", "fix"].map((type) => ({ when: { type }, do: built() })),
	{ when: { type: "scan" }, do: [say("FINDINGS: none")] },
	{
		when: { type: "improve" },
		do: [echoTo("work/improved-$n.txt", "x"), commit("improve"), say("STATUS: done\nCRITERIA:\n- improved: true")],
	},
];

export interface PhasedSite {
	readonly repo: string;
	readonly agent: FakeAgent;
	readonly file: string;
	readonly env: Readonly<Record<string, string>>;
	run(...more: string[]): Promise<Ended>;
	begin(...more: string[]): Started;
	cmd(...args: string[]): Promise<Ended>;
	/** The state, checked against its format. */
	state(): AgentState;
	/** The state as it was when the calls of this type (for this task) began. */
	during(type: string, story?: string): AgentState[];
	/** `execute 1.1` for every call. */
	calls(): string[];
	executed(): string[];
	done(): string[];
	snapshots(): string[];
	program(name: string, text: string): void;
}

const THREE = documentOf(["1.1", "1.2"], ["2.1"]);
const withSnaps = (rules: readonly Rule[]): Rule[] => [...rules, ...USUAL].map((rule) => ({ ...rule, do: [SNAP, ...rule.do] }));

export function phased(rules: readonly Rule[] = [], text = THREE): PhasedSite {
	return siteOf(repository({ [DOC]: text }), fakeAgent(withSnaps(rules)));
}

/** In the process of the test: with the real command line, without git (quick-pawl.ts). */
export function quickPhased(rules: readonly Rule[] = [], text = THREE): PhasedSite & { readonly memory: MemorySite } {
	const agent = quickAgent(withSnaps(rules));
	const { root, memory } = quickSite({ [DOC]: text });
	return { ...siteOf(root, agent), memory };
}

function siteOf(repo: string, agent: FakeAgent): PhasedSite {
	const bin = scratchFolder("bin");
	const env = { HOME: scratchFolder("home"), PATH: `${bin}:${process.env["PATH"] ?? ""}`, GH_TOKEN: "", GITHUB_TOKEN: "" };
	const file = join(repo, ".claude", "agent-state.json");
	const args = (more: readonly string[]) => ["run", "phased", DOC, "--agent-command", agent.command, ...more];
	const parsed = (json: string): AgentState => {
		const state = readAgentState(json);
		assert.ok(state.ok, state.ok ? "" : state.problems.join("\n"));
		return state.state;
	};
	const calls = () => agent.calls().map((call) => `${call.type}${call.story === "" ? "" : ` ${call.story}`}`);
	return {
		repo,
		agent,
		file,
		env,
		run: (...more) => pawl(args(["--yes", ...more]), { cwd: repo, env }),
		begin: (...more) => startPawl(args(["--yes", ...more]), { cwd: repo, env }),
		cmd: (...words) => pawl(words, { cwd: repo, env }),
		state: () => parsed(read(file)),
		during: (type, story) =>
			list(agent.home, "calls").flatMap((name, i) => {
				const call = agent.calls()[i];
				const fits =
					call?.type === type && (story === undefined || call.story === story) && exists(agent.home, "calls", name, "agent-state");
				return fits ? [parsed(read(agent.home, "calls", name, "agent-state"))] : [];
			}),
		calls,
		executed: () => calls().flatMap((call) => (call.startsWith("execute ") ? [call.slice(8)] : [])),
		done: () => parsed(read(file)).completed_tasks.map((t) => t.task),
		snapshots: () => list(repo, ".claude").filter((name) => /^checkpoint-\d+\.json$/.test(name)),
		program: (name, script) => {
			writeFileSync(join(bin, name), script);
			chmodSync(join(bin, name), 0o755);
		},
	};
}

export const writeState = (s: PhasedSite, text: string): void => {
	put(s.repo, { ".claude/agent-state.json": text });
};
