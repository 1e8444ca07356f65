import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { accountOf, tiersOf } from "./config/complete.ts";
import { type Config, loadConfig, parseConfig } from "./config.ts";

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
const folder = (): string => {
	const made = mkdtempSync(join(tmpdir(), "pawl-config-"));
	folders.push(made);
	return made;
};

const read = (text: string): Config => {
	const result = parseConfig(text);
	assert.ok(result.ok, JSON.stringify(result));
	return result.config;
};
/** "line:column message" of every problem. */
const refused = (text: string): string[] => {
	const result = parseConfig(text);
	assert.ok(!result.ok, "it was accepted");
	assert.ok(result.problems.length > 0);
	return result.problems.map((p) => `${p.line}:${p.column} ${p.message}`);
};
const one = (text: string, expected: RegExp) => {
	const problems = refused(text);
	assert.equal(problems.length, 1, problems.join("\n"));
	assert.match(problems[0]!, expected);
};

test("no file, an empty file and a file of comments are the defaults", () => {
	const result = loadConfig(folder());
	assert.ok(result.ok);
	assert.deepEqual(result.config, {
		agent: null,
		agents: {},
		layers: [{ from: "pawl.yml", all: {}, roles: {}, steps: {} }],
		base: null,
		parallel: null,
		fallback: [],
		checks: {},
		setup: null,
		copy: [],
		link: [],
		limits: { costUsd: null, timeMs: null },
		logs: { maxBytes: 256_000_000 },
		timeouts: {},
		notify: { command: null, webhook: null, workflow: false },
		env: [],
		push: false,
		requires: [],
		sandbox: null,
		comment: false,
		forge: null,
		flags: { supervisor: true },
		merge: "queue",
		baseline: true,
	});
	for (const text of ["", "\n", "# nothing\n", "checks:\nlimits:\n  cost:\n"]) assert.deepEqual(read(text), result.config, text);
});

test("D-41 every key is read: durations as milliseconds, money as dollars", () => {
	const root = folder();
	writeFileSync(
		join(root, "pawl.yml"),
		`agent: fast
agents:
  fast: { type: command, command: "node agent.mjs", args: [--quiet, "1"], env: { MODE: batch, LEVEL: 3, ON: true }, model: small, prices: { input: 0.5, output: 2 } }
  claude: { model: opus, settings: user, limits: { turns: 40, cost: $2 }, prices: { input: 3, output: 15, cached: 0.3 } }
  demo: { type: scripted, script: demo.yml }
roles:
  reviewer: { agent: codex, model: large }
base: release/1.x
parallel: 3
checks: { lint: "npm run lint", test: npm test, typecheck: tsc }
setup: npm ci
copy: [.env, "config/local.json"]
link: [node_modules]
limits: { cost: $12.50, time: 1h30m }
timeouts: { coding: 2s, final_review: 500ms }
notify: { command: notify-send pawl, webhook: "https://example.com/x", workflow: true }
env: [ANTHROPIC_API_KEY, _X1]
push: true
supervisor: false
`,
	);
	const result = loadConfig(root);
	assert.ok(result.ok, JSON.stringify(result));
	const { config } = result;
	assert.deepEqual(config.agents["fast"], {
		type: "command",
		command: "node agent.mjs",
		args: ["--quiet", "1"],
		env: { MODE: "batch", LEVEL: "3", ON: "true" },
		model: "small",
		effort: null,
		tiers: {},
		prices: { input: 0.5, output: 2 },
		settings: "own",
		limits: { turns: null, costUsd: null },
		account: null,
		mcp: false,
		script: null,
	});
	assert.equal(config.agents["claude"]?.type, "claude");
	assert.deepEqual(
		[config.agents["claude"]?.settings, config.agents["claude"]?.limits, config.agents["claude"]?.prices],
		["user", { turns: 40, costUsd: 2 }, { input: 3, output: 15, cached: 0.3 }],
	);
	assert.equal(config.agents["demo"]?.script, "demo.yml");
	assert.deepEqual(config.layers, [
		{ from: "pawl.yml", all: { agent: "fast" }, roles: { reviewer: { agent: "codex", model: "large" } }, steps: {} },
	]);
	assert.deepEqual(
		[config.agent, config.base, config.parallel, config.setup, config.push, config.flags["supervisor"]],
		["fast", "release/1.x", 3, "npm ci", true, false],
	);
	assert.deepEqual(config.checks, { lint: "npm run lint", test: "npm test", typecheck: "tsc" });
	assert.deepEqual([config.copy, config.link, config.env], [[".env", "config/local.json"], ["node_modules"], ["ANTHROPIC_API_KEY", "_X1"]]);
	assert.deepEqual(config.limits, { costUsd: 12.5, timeMs: 5_400_000 });
	assert.deepEqual(config.timeouts, { coding: 2_000, final_review: 500 });
	const command = { line: "notify-send pawl", from: "repository" };
	assert.deepEqual(config.notify, { command, webhook: "https://example.com/x", workflow: true });
	assert.equal(read("limits: {cost: 10}").limits.costUsd, 10);
});

test("unknown keys are refused at their place, with what was probably meant", () => {
	one("agnet: claude", /^1:1 unknown key `agnet`; did you mean `agent`\?$/);
	one("limits:\n  cots: 3", /^2:3 unknown key `limits.cots`; did you mean `cost`\?$/);
	one("agents:\n  a:\n    type: codex\n    modle: x", /^4:5 unknown key `agents.a.modle`; did you mean `model`\?$/);
	one("zebra: 1", /^1:1 unknown key `zebra`; known here: agent, agents, roles, /);
});

test("all mistakes are reported at once, in the order of the file", () => {
	const problems = refused(`agent: cluade
agents:
  mine: { model: x }
  "a b": { type: codex }
  bare: { type: command }
roles:
  check: { agent: nobody-at-all }
base: "two words"
parallel: 0
checks: { test: "" }
copy: [../secrets, /etc/passwd, .git/config, .GIT/x, .PAWL/x]
limits: { cost: free, time: 30 }
timeouts: { coding: soon }
notify: { webhook: "ftp://x" }
env: ["A=B"]
push: yes
unknown: 1
`);
	const places = problems.map((p) => p.split(" ")[0]);
	assert.deepEqual(places, [
		...["1:8", "3:3", "4:3", "5:3", "7:19", "8:7", "9:11", "10:17", "11:8", "11:20", "11:33", "11:46", "11:54"],
		...["12:17", "12:29", "13:21", "14:20", "15:7", "16:7", "17:1"],
	]);
	const all = problems.join("\n");
	for (const part of [
		/no agent `cluade`; did you mean `claude`/,
		/`agents.mine` needs a `type`/,
		/`copy\[1\]` must be a path inside/,
		/`limits.time` must be a duration/,
	])
		assert.match(all, part);
});

test("values of the wrong kind are refused with what they should be", () => {
	one("checks: [lint]", /^1:9 `checks` must be a map/);
	one("copy: .env", /^1:7 `copy` must be a list/);
	one("setup: 3", /^1:8 `setup` must be a text/);
	one("- a", /^1:1 pawl.yml must be a map/);
	one("just words", /^1:1 pawl.yml must be a map/);
	one("timeouts: { coding: 0s }", /duration above zero/);
	one("limits: { cost: -1 }", /above zero/);
	one("agents: { x: { type: codex, prices: { input: 1 } } }", /^1:\d+ `agents.x.prices.output` must be US dollars/);
	one("agents: { x: { type: codex, settings: mine } }", /^1:\d+ `agents.x.settings` must be own or user/);
	one("agents: { x: { type: codex, limits: { turns: 0 } } }", /^1:\d+ `agents.x.limits.turns` must be at least 1/);
	one("agents: { x: { type: codex, script: a.yml } }", /only agents of the type scripted/);
});

test("texts that are no YAML, keys that are there twice and alias bombs are problems with a place", () => {
	assert.match(refused("checks: {lint: 'x\n")[0]!, /^\d+:\d+ not readable as YAML/);
	assert.match(refused("a: [1\nb: 2")[0]!, /not readable as YAML/);
	assert.deepEqual(
		refused("base: a\nbase: b\nparalel: 2").map((p) => p.split(" ")[0]),
		["2:1", "3:1"],
	);
	one("base: a\n---\nbase: b", /one YAML document/);
	const bomb = [
		"a: &a [x,x,x,x,x,x,x,x,x,x]",
		..."bcdefgh".split("").map((c, i) => `${c}: &${c} [${Array(10).fill(`*${"abcdefg"[i]}`)}]`),
	].join("\n");
	assert.match(refused(bomb)[0]!, /alias/i);
	one("x".repeat(1024 * 1024 + 1), /larger than 128 KiB/);
	assert.match(refused("base: !!js/function x")[0]!, /1:7/);
});

test("an alias is followed, and a problem inside it has a place", () => {
	assert.deepEqual(read("checks: {lint: &l make, test: *l}").checks, { lint: "make", test: "make" });
	const shared = refused("agents:\n  a: &x {type: codex, modl: y}\n  b: *x");
	assert.deepEqual(
		shared.map((problem) => problem.split(" ")[0]),
		["2:23", "2:23"],
	);
});

test("what cannot be read is a problem, not a crash; the other spelling of the name is pointed out", () => {
	const root = folder();
	mkdirSync(join(root, "pawl.yml"));
	const directory = loadConfig(root);
	assert.ok(!directory.ok && /not a file/.test(directory.problems[0]!.message));
	const other = folder();
	writeFileSync(join(other, "pawl.yaml"), "base: x\n");
	const misnamed = loadConfig(other);
	assert.ok(!misnamed.ok && /rename/.test(misnamed.problems[0]!.message));
});

test("an agent of the Agent Client Protocol needs its command; `mcp` is for agents that can be told about it", () => {
	const config = read("agents: { mine: { type: acp, command: my-agent --acp, mcp: true } }\n");
	assert.deepEqual([config.agents["mine"]?.type, config.agents["mine"]?.mcp], ["acp", true]);
	const wrong = parseConfig("agents:\n  mine: { type: acp }\n  other: { type: command, command: x, mcp: true }\n");
	assert.ok(!wrong.ok);
	assert.match(wrong.problems.map((p) => p.message).join("\n"), /`agents.mine` needs a `command`\n`agents.other` has `mcp`/);
});

test("an agent of the Agent Client Protocol has no turns to be counted, so a limit of them is refused with its place", () => {
	one(
		"agents:\n  mine:\n    type: acp\n    command: my-agent\n    limits: { cost: 2, turns: 40 }\n",
		/^5:24 `agents.mine` has `limits.turns`, and turns cannot be counted in an agent of the type acp/,
	);
	one("agents:\n  acp: { command: my-agent, limits: { turns: 1 } }\n", /^2:39 `agents.acp` has `limits.turns`/);
	assert.equal(read("agents: { mine: { type: acp, command: x, limits: { cost: 2, turns: } } }\n").agents["mine"]?.limits.costUsd, 2);
	assert.equal(read("agents: { mine: { type: codex, limits: { turns: 40 } } }\n").agents["mine"]?.limits.turns, 40);
});

test("G-30: the bound of a log is a size; what is none, or too small to hold anything, is refused", () => {
	const max = (text: string): number => read(`logs: {max: ${text}}`).logs.maxBytes;
	assert.deepEqual(["1MB", "1 MiB", "64kB", "0.5GB", "100000"].map(max), [1e6, 1024 ** 2, 64_000, 5e8, 100_000]);
	for (const text of ["much", "10kB", "-1MB", "1TBX"]) one(`logs: {max: ${text}}`, /`logs.max` must be a size of at least 64kB/);
});

test("who does which step: step types and roles with agent, model and effort, and tiers of an agent", () => {
	const config = read(`steps: { coding: { model: strong, effort: high }, review: { agent: codex } }
roles: { reviewer: { effort: low, model: } }
agents:
  claude: { effort: medium, tiers: { fast: haiku, strong: { model: opus, effort: high }, standard: } }
  work: { type: claude }
`);
	assert.deepEqual(config.layers, [
		{
			from: "pawl.yml",
			all: {},
			roles: { reviewer: { effort: "low" } },
			steps: { coding: { model: "strong", effort: "high" }, review: { agent: "codex" } },
		},
	]);
	const tiers = { fast: { model: "haiku", effort: null }, strong: { model: "opus", effort: "high" } };
	assert.deepEqual([config.agents["claude"]?.effort, tiersOf(config, "claude")], ["medium", tiers]);
	assert.deepEqual(tiersOf(config, "work"), tiers, "an agent of the same type has the same models");
	assert.deepEqual(tiersOf(config, "codex"), {});
	one("steps: { coding: { agent: cluade } }", /`steps.coding.agent`: there is no agent `cluade`; did you mean `claude`\?/);
	one("agents: { claude: { tiers: { quick: haiku } } }", /unknown key `agents.claude.tiers.quick`; known here: fast, standard, strong/);
	one("steps: { coding: { effort: 3 } }", /`steps.coding.effort` must be a level of effort such as low or high/);
});

describe("the user's own pawl.yml", () => {
	const both = (user: string, own: string): ReturnType<typeof loadConfig> => {
		const root = folder();
		writeFileSync(join(root, "user.yml"), user);
		writeFileSync(join(root, "pawl.yml"), own);
		return loadConfig(root, join(root, "user.yml"));
	};
	const merged = (user: string, own: string): Config => {
		const result = both(user, own);
		assert.ok(result.ok, JSON.stringify(result));
		return result.config;
	};

	test("counts where the repository says nothing, key by key", () => {
		const config = merged(
			"agent: codex\nparallel: 2\nlimits: { cost: 5, time: 1h }\ntimeouts: { coding: 1m, review: 2m }\nnotify: { command: ring, workflow: true }\nfallback: [gemini]",
			'limits: { cost: 9, time: }\ntimeouts: { coding: 3m }\nnotify: { webhook: "https://example.com/x" }\nparallel:',
		);
		assert.deepEqual([config.agent, config.parallel, config.fallback], ["codex", 2, ["gemini"]]);
		assert.deepEqual(config.limits, { costUsd: 9, timeMs: 3_600_000 });
		assert.deepEqual(config.timeouts, { coding: 180_000, review: 120_000 });
		assert.deepEqual(config.notify, { command: { line: "ring", from: "user" }, webhook: "https://example.com/x", workflow: true });
		const both = merged("notify: { command: ring }", "notify: { command: ring }");
		assert.deepEqual(both.notify.command, { line: "ring", from: "repository" });
	});

	test("names agents for the repository's, which may say more about them", () => {
		const config = merged(
			"agents: { work: { type: claude, env: { A: '1' }, tiers: { fast: haiku, strong: opus } } }",
			"agent: work\nagents: { work: { model: sonnet, tiers: { fast: mini } } }",
		);
		const { type, env, model, tiers } = config.agents["work"]!;
		assert.deepEqual([config.agent, type, env, model], ["work", "claude", { A: "1" }, "sonnet"]);
		assert.deepEqual(tiers, { fast: { model: "mini", effort: null }, strong: { model: "opus", effort: null } });
	});

	test("gives nothing of an agent to a command that comes with the repository", () => {
		const user = "agents: { claude: { env: { ANTHROPIC_API_KEY: secret }, args: [--x] } }";
		for (const own of ["command: ./agent.sh", "type: command, command: ./agent.sh", "type: scripted, script: s.yml"]) {
			const { env, args } = merged(user, `agents: { claude: { ${own} } }`).agents["claude"]!;
			assert.deepEqual([env, args], [{}, []], own);
		}
	});

	test("wins with its sandbox: a repository neither takes it away nor widens it", () => {
		const bwrap = { type: "bwrap", network: "on", read: [], write: [], image: null, runtime: null };
		assert.deepEqual(merged("sandbox: bwrap", "sandbox: none").sandbox, bwrap);
		assert.deepEqual(merged("sandbox: bwrap", "sandbox: {type: bwrap, read: [~/.ssh]}").sandbox, bwrap);
		assert.deepEqual(merged("", "sandbox: {type: bwrap, network: off, read: [~/.m2]}").sandbox, {
			...bwrap,
			network: "off",
			read: ["~/.m2"],
		});
		assert.equal(merged("", "sandbox: none").sandbox, null);
		one("sandbox: jail", /^1:\d+ `sandbox` must be none, bwrap or container/);
	});

	test("is a layer of its own behind the repository's", () => {
		const layers = merged("agent: codex\nsteps: { review: { model: a } }", "roles: { critic: { model: b } }").layers;
		assert.deepEqual(
			layers.map(({ from, ...said }) => [from.endsWith("user.yml") ? "user" : from, said]),
			[
				["pawl.yml", { all: {}, roles: { critic: { model: "b" } }, steps: {} }],
				["user", { all: { agent: "codex" }, roles: {}, steps: { review: { model: "a" } } }],
			],
		);
	});

	test("may not say what is about one repository, nor allow for all of them what a person allows for one", () => {
		for (const [key, value] of Object.entries({ checks: "{ test: x }", setup: "x", env: "[A]", push: "true", base: "main", copy: "[a]" })) {
			const result = both(`agent: claude\n${key}: ${value}`, "");
			assert.ok(!result.ok, key);
			assert.match(result.problems[0]!.file, /user\.yml$/);
			assert.match(
				`${result.problems[0]!.line} ${result.problems[0]!.message}`,
				new RegExp(`^2 .${key}. is about one repository: say it in the pawl.yml`),
			);
		}
	});

	test("is refused with its own path if it has mistakes, and need not exist", () => {
		const result = both("agnet: x", "");
		assert.ok(!result.ok);
		assert.match(
			`${result.problems[0]!.file}:${result.problems[0]!.line} ${result.problems[0]!.message}`,
			/user\.yml:1 unknown key `agnet`/,
		);
		assert.ok(loadConfig(folder(), join(folder(), "none", "pawl.yml")).ok);
	});
});

test("agents of one login share an account, a program that pawl does not know has its own, and machines share only what somebody named", () => {
	const config = read(
		"agents:\n  claude: { account: team }\n  strong: { type: claude }\n  other: { type: claude, account: mine }\n  tool: { type: command, command: x }\n",
	);
	const names = ["claude", "strong", "other", "tool", "codex"].map((agent) => accountOf(config, agent, "ci@build"));
	assert.deepEqual(names, ["team", "team", "mine", "tool/ci@build", "codex/ci@build"]);
	one("agents: { claude: { account: 'a b' } }", /^1:\d+ `agents.claude.account` must be the name of an account/);
});
