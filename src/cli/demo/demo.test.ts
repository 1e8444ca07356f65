// The demo's script and repository must fit each other, and the guide's example must do what it says. Both are played here as
// the dynamic workflow would: ten steps, edits of skip and restart, checks after three types, a fix cycle where one fails.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { parse } from "yaml";
import { loadScript } from "../../agent/scripted/script.ts";
import { scriptedAgent } from "../../agent/scripted/scripted.ts";
import { DEMOS } from "./all.ts";
import { greetProject } from "./repository.ts";

const home = mkdtempSync(join(tmpdir(), "pawl-demo-"));
after(() => rmSync(home, { recursive: true, force: true }));
const root = new URL("../../..", import.meta.url);
const env = { PATH: process.env.PATH ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" };

const TYPES =
	"context_gathering planning architecture test_architecture coding linting initial_testing review prune_tests final_review".split(" ");
const CHECKS: Record<string, string[]> = { linting: ["lint"], initial_testing: ["test"], final_review: ["lint", "test"] };

interface Step {
	id: string;
	type: string;
	attempt: number;
	state: "pending" | "done" | "skipped";
}
interface Play {
	work: string;
	shared: string;
	happened: string[];
	cost: number;
	texts: string[];
}

async function play(name: string, scriptText: string, files: Record<string, string>): Promise<Play> {
	const work = join(home, name, "work");
	const shared = join(home, name, "shared");
	mkdirSync(shared, { recursive: true });
	for (const [path, content] of Object.entries(files)) {
		mkdirSync(dirname(join(work, path)), { recursive: true });
		writeFileSync(join(work, path), content);
	}
	const git = (...args: string[]): string => execFileSync("git", args, { cwd: work, encoding: "utf8", env }).trim();
	git("init", "-q");
	git("add", "-A");
	git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "first");
	const checks: Record<string, string> = parse(files["pawl.yml"] ?? "").checks;
	const loaded = loadScript(scriptText, `${name}.yml`);
	assert.ok(loaded.ok, loaded.ok ? "" : JSON.stringify(loaded.problems));
	const agent = scriptedAgent({ name: "scripted", script: loaded.script });

	const steps: Step[] = [];
	const add = (type: string, index: number) => {
		steps.splice(index, 0, { id: `step-${String(steps.length + 1).padStart(3, "0")}`, type, attempt: 0, state: "pending" });
	};
	for (const type of TYPES) add(type, steps.length);
	const result: Play = { work, shared, happened: [], cost: 0, texts: [] };
	for (;;) {
		const step = steps.find(({ state }) => state === "pending");
		if (!step) return result;
		assert.ok(result.happened.length < 60, "no end");
		const before = git("rev-parse", "HEAD");
		const outcome = await agent.run(
			{
				prompt: "",
				cwd: work,
				env,
				mark: `demo-${process.pid}`,
				timeoutMs: 60_000,
				stallMs: null,
				logFile: join(shared, "logs", `${step.id}.jsonl`),
				model: null,
				readOnly: false,
				secrets: [],
				who: { run: "r", story: "one-shot", step: step.id, type: step.type, role: "agent", attempt: ++step.attempt, sharedDir: shared },
			},
			new AbortController().signal,
		);
		assert.equal(outcome.error, null, `${step.id} ${step.type}`);
		assert.equal(git("status", "--porcelain"), "", `${step.id} leaves nothing uncommitted`);
		result.texts.push(outcome.text);
		result.cost += outcome.usage.costUsd ?? 0;
		result.happened.push(`${step.id} ${step.type} ${step.attempt}`);
		step.state = "done";
		const edits = join(shared, "workflow_edits", "one-shot.json");
		if (existsSync(edits)) {
			for (const { operation, target_step_id } of JSON.parse(readFileSync(edits, "utf8"))) {
				const target = steps.find(({ id }) => id === target_step_id);
				assert.ok(target);
				result.happened.push(`${operation} ${target.id}`);
				target.state = operation === "skip" ? "skipped" : "pending";
				if (operation === "restart") git("reset", "-q", "--hard", before);
			}
			rmSync(edits);
		}
		if (step.state !== "done") continue;
		for (const check of CHECKS[step.type] ?? []) {
			const command = checks[check];
			if (command === undefined || spawnSync("sh", ["-c", command], { cwd: work, env }).status === 0) continue;
			result.happened.push(`${check} fails`);
			const place = steps.indexOf(step) + 1;
			for (const [index, type] of ["coding", "linting", "initial_testing"].entries()) add(type, place + index);
		}
	}
}

describe("the demo", () => {
	it("edits its plan, restarts a step, and repairs what the test check caught", async () => {
		const script = readFileSync(new URL("workflows/dynamic/demo.yml", root), "utf8").replaceAll(/wait: \d+ms/g, "wait: 1ms");
		const { work, shared, happened, cost, texts } = await play("demo", script, greetProject());
		assert.deepEqual(happened, [
			"step-001 context_gathering 1",
			"step-002 planning 1",
			"skip step-009",
			"step-003 architecture 1",
			"step-004 test_architecture 1",
			"step-005 coding 1",
			"restart step-005",
			"step-005 coding 2",
			"step-006 linting 1",
			"step-007 initial_testing 1",
			"test fails",
			"step-011 coding 1",
			"step-012 linting 1",
			"step-013 initial_testing 1",
			"step-008 review 1",
			"step-010 final_review 1",
		]);
		for (const text of texts) assert.match(text, /^## SUMMARY\n(- .*\n){2,5}$/m);
		assert.ok(cost > 0.5 && cost < 2);
		const greet = (...args: string[]) => execFileSync("sh", ["greet.sh", ...args], { cwd: work, encoding: "utf8", env });
		assert.deepEqual(
			[greet(), greet("Ada"), greet("--shout", "Ada"), greet("--shout")],
			["Hello, world!\n", "Hello, Ada!\n", "HELLO, ADA!\n", "HELLO, WORLD!\n"],
		);
		assert.equal(existsSync(join(work, "shout.sh")), false);
		assert.match(readFileSync(join(shared, "scratch_one-shot.md"), "utf8"), /## Context \(step-001\).*## Plan \(step-002\)/s);
	});
});

describe("the description of each demo", () => {
	for (const [name, load] of Object.entries(DEMOS))
		it(`${name} fits 80 columns, and its script can be read`, async () => {
			const { about, look, script, typed = "" } = await load();
			const widest = Math.max(...look.map(([command]) => command.length));
			const lines = [...about.split("\n"), `$ ${typed}`, ...look.map(([, shows]) => `  ${" ".repeat(widest)}  ${shows}`)];
			assert.deepEqual(
				lines.filter((line) => line.length > 79),
				[],
			);
			const loaded = loadScript(readFileSync(new URL(`workflows/${script}`, root), "utf8"), script);
			assert.deepEqual(loaded.ok ? [] : loaded.problems, []);
		});
});

describe("the commands of each demo", () => {
	for (const file of globSync("workflows/**/demo*.yml", { cwd: root }))
		it(`${file}: sed is asked only for what the one of macOS has, too`, () => {
			parse(readFileSync(new URL(file, root), "utf8"), (_, text) => {
				// Escapes of GNU alone, and not after an escaped backslash.
				if (typeof text === "string" && /\bsed '|\bsed -/.test(text))
					assert.doesNotMatch(text, /(?<!\\)(?:\\\\)*\\[tswdb+?|]|\bsed -[a-z]*[irz]/);
				return text;
			});
		});
});

describe("the guide", () => {
	it("its example does what it says", async () => {
		const guide = readFileSync(new URL("docs/scripted-agent.md", root), "utf8");
		const block = (file: string): string => guide.match(new RegExp(`^\`\`\`yaml\\n# ${file}\\n(.*?)^\`\`\``, "ms"))?.[1] ?? "";
		const { work, happened } = await play("guide", block("greeting\\.yml"), { "pawl.yml": block("pawl\\.yml") });
		assert.deepEqual(
			happened.filter((line) => /skip|restart|fails|coding|step-01[1-3]/.test(line)),
			[
				"skip step-004",
				"step-005 coding 1",
				"restart step-005",
				"step-005 coding 2",
				"test fails",
				"step-011 coding 1",
				"step-012 linting 1",
				"step-013 initial_testing 1",
			],
		);
		assert.equal(readFileSync(join(work, "greeting.txt"), "utf8"), "hello\n");
		assert.equal(existsSync(join(work, "wrong.txt")), false);
	});
});
