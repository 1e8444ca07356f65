// Which model each step gets, from outside: a flag, pawl.yml, the user's own pawl.yml and the workflow; tiers; what the journal keeps.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type QuickScratch, quickScratch } from "./scratch.ts";

const USER = ".none/pawl/pawl.yml";

const WORKFLOW = `name: two
title: Two steps
inputs:
  request: {reader: request, workspace: tree}
roles:
  maker: {model: fast, report: {notes: text}}
  critic: {effort: low, report: {notes: text}}
types:
  stories: {each: {steps: [make, ask, look]}}
  make: {role: maker, timeout: 1m}
  ask: {approval: person, on: {approved: next, rejected: fail story}}
  look: {role: critic, model: strong, writes: none, timeout: 1m}
steps: [stories]
on:
  done: next
  "agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error|lost|rate_limited|overloaded|auth|out_of_credit": fail story
`;

/** Notes what it was told to use. */
const AGENT = `cat > /dev/null
echo "$PAWL_STEP_TYPE \${PAWL_MODEL:--} \${PAWL_EFFORT:--}" >> "$PAWL_SHARED_DIR/../who"
[ "$PAWL_STEP_TYPE" != make ] || echo made > made.txt
echo '{"type":"usage","input_tokens":10,"output_tokens":1,"cost_usd":1}'
echo done
`;

const TIERS = "agents: {local: {type: command, command: sh agent.sh, tiers: {fast: small, strong: {model: large, effort: high}}}}\n";

function site(own: string, user = TIERS): QuickScratch {
	const files = { "pawl.yml": own, [USER]: user, "agent.sh": AGENT, ".pawl/workflows/two/workflow.yml": WORKFLOW };
	const prompts = { ".pawl/workflows/two/prompts/make.md": "Make it.\n", ".pawl/workflows/two/prompts/look.md": "Look at it.\n" };
	return quickScratch({ ...files, ...prompts });
}

const used = ({ root }: QuickScratch): string[] =>
	readFileSync(join(root, ".pawl", "runs", "who"), "utf8")
		.trim()
		.split("\n");

async function exits(code: number, s: QuickScratch, ...args: string[]): Promise<string> {
	const ended = await s.pawl(...args);
	assert.equal(ended.code, code, ended.stdout + ended.stderr);
	return ended.stdout + ended.stderr;
}

interface Models {
	readonly steps: readonly {
		readonly type: string;
		readonly agent: string;
		readonly model: string | null;
		readonly effort: string | null;
	}[];
}

describe("the model of a step", () => {
	it("comes from flag, pawl.yml, the user's file and the workflow; the run keeps it, whatever these say later", async () => {
		const s = site("agent: local\nroles: {critic: {effort: medium}}\n");
		await exits(3, s, "run", "two", "Add a file", "--effort", "make=max");
		s.write({
			"pawl.yml": "agent: local\nsteps: {look: {model: other, effort: none}}\n",
			[USER]: TIERS.replaceAll(/small|large/g, "changed"),
		});
		s.memory.user.commitAll("other models");
		await s.pawl("approve", "latest");
		await s.pawl("resume", "latest");
		assert.deepEqual(used(s), ["make small max", "look large medium"]);

		const { stories } = await s.json<{ stories: { id: string; steps: { type: string; model: string; effort: string; tier: string }[] }[] }>(
			"status",
			"latest",
			"--json",
		);
		const steps = stories[0]?.steps.filter(({ type }) => type !== "ask") ?? [];
		assert.deepEqual(
			steps.map(({ type, model, effort, tier }) => [type, model, effort, tier]),
			[
				["make", "small", "max", "fast"],
				["look", "large", "medium", "strong"],
			],
		);
		const status = await exits(0, s, "status", "latest", stories[0]?.id ?? "");
		assert.match(status, /make .* {2}small, effort max/);
		assert.match(await exits(0, s, "history", "latest"), /prepared at \w+ for local \(strong: large, effort medium\)/);
		const cost = await exits(0, s, "cost", "latest");
		for (const [head, rows] of [
			["model", ["small", "large"]],
			["tier", ["fast", "strong"]],
		] as const)
			assert.match(cost, new RegExp(`by ${head}\n${rows.map((row) => ` +${row} +1 session .*\\$1\\.00.*\n`).join("")}`));
	});

	it("is shown by `pawl models` and by --dry-run, with the place that says so", async () => {
		const s = site("agent: local\nsteps: {look: {model: own}}\n");
		const view = await s.json<Models>("models", "two", "--model", "maker=big", "--agent", "look=gemini", "--effort", "look=high", "--json");
		assert.deepEqual(
			view.steps.map(({ type, agent, model, effort }) => [type, agent, model, effort]),
			[
				["make", "local", "big", null],
				// What pawl.yml names is a model of another agent.
				["look", "gemini", null, "high"],
				["repair_checks", "local", "big", null],
			],
		);
		const text = await exits(0, s, "models", "two", "--agent", "look=gemini", "--effort", "look=high");
		assert.match(text, /^make +maker +local +small \(fast\) +agent: pawl\.yml, model: workflow$/m);
		assert.match(text, /tiers of local: fast is small, strong is large with effort high/);
		assert.match(text, /gemini has no option for effort/);
		const plan = await exits(0, s, "run", "two", "Add a file", "--model", "big", "--dry-run");
		assert.match(plan, /^local, big: make, repair_checks\nlocal, big, effort low: look$/m);
	});

	it("names the user's own file in a word, and its path once", async () => {
		const text = await exits(0, site("", `agent: local\n${TIERS}`), "models", "two");
		assert.match(text, /^make +maker +local +small \(fast\) +agent: your pawl\.yml, model: workflow$/m);
		assert.match(text, /^your pawl\.yml: \/\S+\/pawl\/pawl\.yml$/m);
	});

	it("is the agent's own default where nothing is mapped: no flag at all", async () => {
		const s = site("agent: local\n", "agents: {local: {type: command, command: sh agent.sh}}\n");
		await exits(3, s, "run", "two", "Add a file");
		assert.deepEqual(used(s), ["make - -"]);
		assert.match(await exits(0, s, "models", "two"), /No tier stands for a model.*pawl\/pawl\.yml:\n {2}agents: \{local: \{tiers: /);
	});

	it("of a name that does not exist is refused, with the closest one and the list", async () => {
		const s = site("agent: local\n");
		assert.match(
			await exits(2, s, "run", "two", "Add a file", "--model", "loook=x", "--effort", "stories=low"),
			/--model loook=…: there is no step type or role loook, did you mean look\? \(step types: make, look, repair_checks; roles: maker, critic\)\n.*pawl does the step stories itself/,
		);
		s.write({ "pawl.yml": "agent: local\nsteps: {loook: {model: x}, critic: {model: x}}\n" });
		s.memory.user.commitAll("typo");
		assert.match(
			await exits(2, s, "run", "two", "Add a file"),
			/pawl\.yml: `steps\.loook`: no workflow here has .*; did you mean `look`\?\n.*`steps\.critic`.*it is a role: say it under `roles`/,
		);
		const doctor = await exits(1, s, "doctor");
		assert.match(doctor, /your pawl\.yml +.*\.none\/pawl\/pawl\.yml\n/);
		assert.match(doctor, /`steps\.loook`: no workflow here has/);
		s.write({ "pawl.yml": "agent: local\nsteps: {entirely_other: {model: x}}\n" });
		s.memory.user.commitAll("unknown");
		assert.match(await exits(3, s, "run", "two", "Add a file"), /`steps\.entirely_other`: no workflow here has/);
	});

	it("is told to agents that fetch their steps", async () => {
		const s = site("agent: local\n");
		await exits(0, s, "workflow", "run", "two", "Add a file", "--effort", "maker=low");
		const { model, effort, tier } = JSON.parse(await exits(0, s, "step", "claim", "maker"));
		assert.deepEqual([model, effort, tier], ["small", "low", "fast"]);
	});

	it("is refused in the user's file with its path, line and column", async () => {
		const s = site("agent: local\n", "agnt: local\nchecks: {test: x}\n");
		assert.match(await exits(2, s, "run", "two", "x y"), /\.none\/pawl\/pawl\.yml:1:1: unknown key `agnt`; did you mean `agent`\?/);
	});
});
