// A repository with a run folder `demo`, and a fake agent that is worker, reviewer and steering in one.
import assert from "node:assert/strict";
import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MemorySite } from "../../src/engine/testing/memory-site.suite.ts";
import { append, change, commit, echoTo, type FakeAgent, fakeAgent, type Rule, say, write } from "./fake-agent.ts";
import { type Ended, exited, pawl, type Started, startPawl } from "./pawl.ts";
import { quickAgent } from "./quick-agent.ts";
import { quickSite } from "./quick-pawl.ts";
import { exists, git, list, put, read, repository, until } from "./scratch.ts";

export const PROMISE = "ALL STORIES PASS";
export const TAG = `<promise>${PROMISE}</promise>`;
export const DIR = "ralph/runs/demo";

export const story = (n: number, more: Record<string, unknown> = {}): Record<string, unknown> => ({
	id: `S${n}`,
	title: `Story ${n}`,
	size: "XS",
	passes: false,
	acceptance_criteria: [`\`test -f s${n}.txt\` exits 0`],
	notes: "",
	...more,
});

export const prompt = (id = "demo"): string => `# ${id}

Read ralph/runs/${id}/PRD.md, ralph/runs/${id}/prd.json and ralph/runs/${id}/progress.md first.
Pick the next story with passes=false. Implement, test and commit it. Set passes=true only when its criteria are met.
Append a progress entry. When all stories pass, end your final message with this line:

${TAG}
`;

export interface FolderOf {
	readonly stories?: readonly Record<string, unknown>[];
	readonly settings?: Record<string, unknown>;
	readonly prd?: Record<string, unknown>;
	readonly scheme?: string;
	readonly more?: Readonly<Record<string, string>>;
	/** Files of the repository. */
	readonly files?: Readonly<Record<string, string>>;
}

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export function folderFiles({
	stories = [story(1), story(2), story(3)],
	settings,
	prd = {},
	scheme,
	more = {},
	files = {},
}: FolderOf = {}): Record<string, string> {
	const own: Record<string, string> = {
		"PRD.md": "# PRD\n\nThree files.\n",
		"prd.json": json({ run_id: "demo", title: "A demo", ...(settings ? { loop_settings: settings } : {}), ...prd, stories }),
		"PROMPT.md": prompt(),
		"progress.md": "# Progress\n",
		...(scheme === undefined ? {} : { "orchestration.json": json({ scheme, cursor: 0, queue: [], final_review_pending: false }) }),
		...more,
	};
	return { ...files, ...Object.fromEntries(Object.entries(own).map(([name, text]) => [`${DIR}/${name}`, text])) };
}

export const LOOP_STATE = {
	mode: "worker",
	steering_requested: false,
	steering_reason: "",
	steering_requested_by: "review",
	iteration: 0,
	story_completions: 0,
	last_review_iteration: 0,
	last_steering_iteration: 0,
	min_iterations_between_steering: 0,
	review_every_n_iterations: 0,
	steering_force_every_n_iterations: 0,
};

/** A worker that moves the repository and writes its entry. */
export const MOVES = [append("work.txt", "$nth"), append(`${DIR}/progress.md`, "\n- Iteration $nth\n---"), commit("work")];
/** Sets `passes` of a story: lines of shell. */
export const passes = (id: string, value = true): string =>
	change(`${DIR}/prd.json`, `/"id": "${id}"/,/"passes"/s/"passes": [a-z]*/"passes": ${value}/`, (text) =>
		text.replace(new RegExp(`("id": "${id}"[^]*?"passes": )[a-z]*`), `$1${value}`),
	);
export const PASSES_ALL = change(`${DIR}/prd.json`, 's/"passes": false/"passes": true/', (text) =>
	text.replaceAll('"passes": false', '"passes": true'),
);
export const reviews = (needed: string, accepted = needed === "no" ? "yes" : "no"): string[] => [
	write(`${DIR}/review.md`, `# Review\n\nSTEERING_NEEDED: ${needed}\nREASON: because-771\n`),
	say(`STEERING_NEEDED: ${needed}\nREASON: because-771\nSUGGESTED_ACTIONS: none\nACCEPTED: ${accepted}`),
];
/** Tells the test that it is there, and waits for its word. */
export const pauses = (name: string): string => `touch "$home/at-${name}"; while [ ! -e "$home/go-${name}" ]; do sleep 0.05; done`;
export const on = (nth: number, ...lines: string[]): Rule => ({ when: { nth }, do: lines });
export const SAYS = say("Worked on it.");

const USUAL: readonly Rule[] = [
	{ when: { role: "worker" }, do: [...MOVES, SAYS] },
	{ when: { role: "reviewer" }, do: reviews("no") },
	{ when: { role: "steering" }, do: [echoTo(`${DIR}/steering.md`, "# Steering"), say("Steered.")] },
];

export interface RalphSite {
	readonly repo: string;
	readonly agent: FakeAgent;
	/** Runs it with so many iterations, and expects this exit code. */
	run(code: number, max: number, ...more: string[]): Promise<Ended>;
	start(max: number, ...more: string[]): Started;
	pawl(...args: string[]): Promise<Ended>;
	/** W, R and S in the order of the calls. */
	roles(): string;
	/** Waits until the agent says that it is there. */
	at(name: string): Promise<void>;
	go(name: string): void;
	/** A person changes control.json, whole. */
	control(patch: Record<string, unknown>): void;
	file(name: string): string;
	json(name: string): Record<string, unknown>;
	passes(): unknown[];
	/** What is said of the run anywhere. */
	history(): Promise<string>;
	git(...args: string[]): string;
}

export function ralphSite(rules: readonly Rule[] = [], folder: FolderOf = {}, env: Readonly<Record<string, string>> = {}): RalphSite {
	return siteOf(repository(folderFiles(folder)), fakeAgent([...rules, ...USUAL]), env);
}

/** In the process of the test: with the real command line, without git (quick-pawl.ts). */
export function quickRalph(rules: readonly Rule[] = [], folder: FolderOf = {}): RalphSite & { readonly memory: MemorySite } {
	const agent = quickAgent([...rules, ...USUAL]);
	const { root, memory } = quickSite(folderFiles(folder));
	const git = (...given: string[]): string => {
		if (given.join(" ") !== "log --format=%s") throw new Error("there is no git");
		return memory.subjects("main").toReversed().join("\n");
	};
	return { ...siteOf(root, agent), git, memory };
}

function siteOf(repo: string, agent: FakeAgent, env: Readonly<Record<string, string>> = {}): RalphSite {
	const args = (max: number, more: readonly string[]) => [
		"run",
		"ralph",
		"demo",
		"--max-iterations",
		String(max),
		"--agent-command",
		agent.command,
		...more,
	];
	const file = (name: string) => read(repo, DIR, name);
	const site: RalphSite = {
		repo,
		agent,
		run: async (code, max, ...more) => exited(await pawl(args(max, more), { cwd: repo, env }), code),
		start: (max, ...more) => startPawl(args(max, more), { cwd: repo, env }),
		pawl: (...given) => pawl(given, { cwd: repo }),
		roles: () =>
			agent
				.calls()
				.map((call) => (call.env["PAWL_ROLE"] ?? "?")[0]?.toUpperCase())
				.join(""),
		at: async (name) => {
			await until(`the agent at ${name}`, () => exists(agent.flag(`at-${name}`)));
		},
		go: (name) => writeFileSync(agent.flag(`go-${name}`), ""),
		control: (patch) => {
			const text = json({ ...(exists(repo, DIR, "control.json") ? site.json("control.json") : {}), ...patch });
			const fresh = join(mkdtempSync(join(agent.home, "control-")), "control.json");
			writeFileSync(fresh, text);
			renameSync(fresh, join(repo, DIR, "control.json"));
		},
		file,
		json: (name) => JSON.parse(file(name)) as Record<string, unknown>,
		passes: () => (site.json("prd.json")["stories"] as { passes: unknown }[]).map((s) => s.passes),
		history: async () =>
			(await Promise.all([pawl(["history", "latest"], { cwd: repo }), pawl(["history", "latest", "--json"], { cwd: repo })]))
				.map((e) => e.stdout)
				.join("\n"),
		git: (...given) => git(repo, ...given),
	};
	return site;
}

/** The rest of the file's name is the iteration's number and role. */
export function transcripts(site: RalphSite): string[] {
	return list(site.repo, DIR, "transcripts").filter((name) => /^\d/.test(name));
}

export function reviewModes(site: RalphSite): string[] {
	return site.agent
		.calls()
		.filter((call) => call.env["PAWL_ROLE"] === "reviewer")
		.map((call) => {
			const found = [...call.prompt.matchAll(/review_mode: (\w+)/g)].map((m) => m[1] ?? "");
			assert.equal(found.length, 1, call.prompt);
			return found[0] ?? "";
		});
}

export { put };
