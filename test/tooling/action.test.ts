// action.yml: its steps are carried out here as GitHub would, with the scripted agent in a real repository. What only GitHub has (its runners, setup-node) is not tried.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { parse } from "yaml";
import { scratch } from "../cli/scratch.ts";
import { PACKAGE, PROJECT } from "../support/bin.ts";

interface Step {
	readonly id?: string;
	readonly name?: string;
	readonly uses?: string;
	readonly run?: string;
	readonly shell?: string;
	readonly env?: Readonly<Record<string, string>>;
}

const action = parse(readFileSync(join(PROJECT, "action.yml"), "utf8")) as {
	readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
	readonly outputs: Readonly<Record<string, { readonly value: string }>>;
	readonly runs: { readonly using: string; readonly steps: readonly Step[] };
};
const steps = action.runs.steps.filter(({ run }) => run !== undefined);

/** The few expressions that the file uses. */
const evaluated = (text: string, inputs: Readonly<Record<string, string>>): string =>
	text.replaceAll(/\$\{\{ *(.+?) *\}\}/g, (_, expression: string) => {
		if (expression === "github.action_path") return PROJECT;
		const name = /^inputs\.([\w-]+)$/.exec(expression)?.[1] ?? "";
		assert.ok(name in action.inputs, expression);
		return inputs[name] ?? action.inputs[name]?.default ?? "";
	});

interface Job {
	readonly root: string;
	readonly temp: string;
	readonly env: NodeJS.ProcessEnv;
}

function job(files: Readonly<Record<string, unknown>>): Job {
	const { root } = scratch(files);
	const temp = join(root, ".git", "runner");
	mkdirSync(temp);
	for (const name of ["path", "output", "summary"]) writeFileSync(join(temp, name), "");
	const env = {
		PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
		HOME: temp,
		RUNNER_TEMP: temp,
		TMPDIR: temp,
		GITHUB_PATH: join(temp, "path"),
		GITHUB_OUTPUT: join(temp, "output"),
		GITHUB_STEP_SUMMARY: join(temp, "summary"),
	};
	return { root, temp, env };
}

/** As `shell: bash` does. */
function carryOut({ root, temp, env }: Job, step: Step | undefined, inputs: Readonly<Record<string, string>>) {
	assert.equal(step?.shell, "bash");
	const script = join(temp, "step.sh");
	writeFileSync(script, step?.run ?? "");
	const own = Object.fromEntries(Object.entries(step?.env ?? {}).map(([name, text]) => [name, evaluated(text, inputs)]));
	const paths = readFileSync(join(temp, "path"), "utf8").split("\n").filter(Boolean);
	const path = [...paths, env["PATH"]].join(delimiter);
	const ended = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
		cwd: root,
		env: { ...env, ...own, PATH: path },
		encoding: "utf8",
		timeout: 120_000,
	});
	return { code: ended.status, all: ended.stdout + ended.stderr };
}

const outputs = ({ temp }: Job): Record<string, string> =>
	Object.fromEntries(
		[...readFileSync(join(temp, "output"), "utf8").matchAll(/^([\w-]+)<<(.+)\n([\s\S]*?)\n\2$/gm)].map(([, name = "", , text = ""]) => [
			name,
			text,
		]),
	);

const SCRIPT = `default:
  do:
    - usage: {input_tokens: 1, output_tokens: 1, cost_usd: 0.125}
steps:
  - on: {type: coding}
    do:
      - write: {path: new.txt, content: new}
      - usage: {input_tokens: 1, output_tokens: 1, cost_usd: 0.125}
`;

describe("action.yml", () => {
	it("has no expression in a command, and only inputs and outputs that exist", () => {
		assert.equal(action.runs.using, "composite");
		for (const { run = "", env = {} } of steps) {
			assert.doesNotMatch(run, /\$\{\{/);
			for (const text of Object.values(env)) evaluated(text, {});
		}
		const used = steps.flatMap(({ env = {} }) => Object.values(env)).join();
		for (const name of Object.keys(action.inputs)) assert.ok(used.includes(`inputs.${name} `), `the input ${name} is used`);
		const written = readFileSync(join(PROJECT, "scripts", "action.ts"), "utf8");
		for (const [name, { value }] of Object.entries(action.outputs)) {
			assert.equal(value, `\${{ steps.run.outputs.${name} }}`);
			assert.ok(written.includes(`output("${name}"`), name);
		}
		for (const { uses } of action.runs.steps) if (uses !== undefined) assert.match(uses, /^actions\/[\w-]+@v\d+$/);
	});

	const [install, run] = steps;
	const here = job({ "script.yml": SCRIPT, "pawl.yml": 'checks: {test: "true"}\n' });
	before(() => {
		const installed = carryOut(here, install, { package: PACKAGE });
		assert.equal(installed.code, 0, installed.all);
	});

	it("runs a request whose text is hostile, sets the outputs and writes a summary", () => {
		const request = '-- $(touch pwned) `touch pwned` "; touch pwned; #\n::set-output name=run::x';
		const args = "--script=script.yml\n  --base=main\n";
		const ended = carryOut(here, run, { request, agent: "scripted", "max-cost": "5", args });
		assert.equal(ended.code, 0, ended.all);
		assert.ok(!existsSync(join(here.root, "pwned")));
		assert.doesNotMatch(ended.all, /^::(?!warning)/m);
		const { run: id, status, cost, journal = "", "exit-code": exit } = outputs(here);
		assert.match(id ?? "", /^\S+$/);
		assert.deepEqual([status, exit], ["completed", "0"]);
		assert.ok(Number(cost) > 0);
		assert.match(readFileSync(journal, "utf8"), /"run_created"[\s\S]*"run_finished"/);
		const summary = readFileSync(join(here.temp, "summary"), "utf8");
		assert.ok(summary.includes(`## pawl: run ${id}`) && summary.includes("status: completed"), summary);
		assert.match(summary, /### Receipt of one-shot\n[\s\S]*coding: completed[\s\S]*### Receipt of the run\n/);
	});

	it("refuses what cannot be meant with pawl's own exit codes", () => {
		const two = carryOut(here, run, { request: "a", prd: "b.json" });
		assert.equal(two.code, 2);
		assert.match(two.all, /::error::give one of the inputs request, prd/);
		assert.match(carryOut(here, run, { request: "a", pr: "yes" }).all, /::error::the input pr is true or false, not yes/);
		appendFileSync(join(here.root, "script.yml"), "unknown: 1\n");
		assert.equal(carryOut(here, run, { request: "Do it", agent: "scripted", args: "--script=script.yml" }).code, 2);
	});
});
