// A run that stops at every attempt: the agent waits until the test has looked around and told it what to do. When an agent has
// started, everything before it is committed, so the test sees the tables, files and commits after each transition.
import assert from "node:assert/strict";
import { renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Call, type FakeAgent, fakeAgent, say } from "./fake-agent.ts";
import { type Ended, runFolder, startPawl } from "./pawl.ts";
import type { Site } from "./pipeline-site.ts";
import { quickAgent } from "./quick-agent.ts";
import { exists, put, read, until } from "./scratch.ts";

export interface Seen {
	/** The row of the run. */
	readonly run: string;
	/** `triage done`, in order; with the story if the row names one, and with the retries if there are any. */
	readonly steps: readonly string[];
	/** `US-001 running 0`, in order. */
	readonly stories: readonly string[];
	/** Subjects on top of main, oldest first. */
	readonly commits: readonly string[];
	/** null: there is none. */
	readonly progress: string | null;
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

export class Dialogue {
	readonly agent: FakeAgent;
	private readonly site: Site;
	private readonly done: Promise<Ended>;
	private readonly said: () => string;
	private over: Ended | null = null;
	private turns = 0;
	/** Of a quick site: lets the agent go that waits. */
	private readonly go: ((lines: readonly string[]) => void)[] = [];

	constructor(site: Site, ...args: string[]) {
		this.site = site;
		if (site.quick) {
			this.agent = quickAgent([], () => new Promise((go) => this.go.push(go)));
			this.done = site.pawl(...args, "--agent-command", this.agent.command);
			this.said = () => this.over?.all ?? "";
			void this.done.then((ended) => {
				this.over = ended;
			});
			return;
		}
		const turn = '"$home/do-$(basename "$call")"';
		this.agent = fakeAgent([{ do: [': > "$home/at-$(basename "$call")"', `while [ ! -e ${turn} ]; do sleep 0.05; done`, `. ${turn}`] }]);
		const started = startPawl([...args, "--agent-command", this.agent.command], { cwd: site.repo, env: site.env });
		this.done = started.done;
		this.said = () => started.said();
		void this.done.then((ended) => {
			this.over = ended;
		});
	}

	/** Waits for the agent of this step, which must be the next, and looks. */
	async at(step: string, expected: Partial<Seen>): Promise<Call> {
		const name = String(++this.turns).padStart(4, "0");
		await until(`the agent of ${step}`, () => {
			assert.equal(this.over, null, `pawl ended before ${step}: ${this.said().slice(-3000)}`);
			return this.site.quick ? this.go.length === this.turns : exists(this.agent.home, `at-${name}`);
		});
		const call = this.agent.calls().at(-1);
		assert.ok(call);
		assert.equal(call.step, step);
		this.sees(`at ${step}, turn ${this.turns}`, this.site.subjectsIn(call.cwd), expected);
		return call;
	}

	/** What the agent that waits does: lines of shell. */
	does(...lines: string[]): void {
		if (this.site.quick) return void this.go[this.turns - 1]?.(lines);
		const name = `do-${String(this.turns).padStart(4, "0")}`;
		put(this.agent.home, { [`${name}.part`]: `${lines.join("\n")}\n` });
		renameSync(join(this.agent.home, `${name}.part`), join(this.agent.home, name));
	}

	says(...lines: string[]): void {
		this.does(say(lines.join("\n")));
	}

	/** The end of the run, and the state then. */
	async ends(branch: string, expected: Partial<Seen>): Promise<Ended> {
		const ended = await this.done;
		this.sees("at the end", this.site.subjects(branch), expected);
		return ended;
	}

	private sees(when: string, commits: readonly string[], expected: Partial<Seen>): void {
		const shared = runFolder(this.site.repo);
		const seen: Seen = {
			run: this.site
				.rows("select status from runs")
				.map((r) => String(r["status"]))
				.join(" "),
			steps: this.site
				.rows("select step_id, status, current_story_id c, retry_count r from steps order by step_index")
				.map((r) =>
					[r["step_id"], r["status"], r["c"] === null ? "" : String(r["c"]).replace(/^.*:/, ""), r["r"] || ""]
						.filter((w) => w !== "")
						.join(" "),
				),
			stories: this.site.stories(),
			commits,
			progress: isFile(join(shared, "progress.txt")) ? read(shared, "progress.txt") : null,
		};
		const wanted = Object.fromEntries(Object.keys(expected).map((key) => [key, seen[key as keyof Seen]]));
		assert.deepEqual(wanted, expected, when);
	}
}
