// The four adapters: the agent contract, and their own features: command lines, homes, logins, limits, sessions. The
// programs are stand-ins; test/agents drives the real ones.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import type { AgentOutcome, AgentRequest } from "../../agent.ts";
import { markedProcesses } from "../../process.ts";
import { agentRequest, agentSuite, type Behaviour, logLines } from "../agent.suite.ts";
import type { CliOptions } from "./cli-agent.ts";
import { openHome } from "./home.ts";
import { KNOWN_AGENTS } from "./known.ts";
import { fixture, standIn } from "./replay.suite.ts";

const dir = mkdtempSync(join(tmpdir(), "pawl-cli-agent-"));
// Homes are made in the folder for temporary files, so this shows what is left of them.
const temporary = mkdtempSync(join(dir, "tmp-"));
const before = process.env["TMPDIR"];
process.env["TMPDIR"] = temporary;
const orphan = join(temporary, `pawl-agent-${process.getuid?.() ?? 0}-999999999-1-killed`);
mkdirSync(join(orphan, "home"), { recursive: true });
after(() => {
	if (before === undefined) delete process.env["TMPDIR"];
	else process.env["TMPDIR"] = before;
	rmSync(dir, { recursive: true, force: true });
});
const folder = (): string => mkdtempSync(join(dir, "case-"));
const left = (): string[] => readdirSync(temporary);

type Cli = "claude" | "codex" | "opencode" | "gemini";
const CLIS: readonly Cli[] = ["claude", "codex", "opencode", "gemini"];

const SPEAK: Readonly<Record<Cli, (behaviour: Behaviour) => readonly object[]>> = {
	claude: ({ say = "", usage }) => [
		{ type: "system", subtype: "init", session_id: "s", model: "m" },
		{
			...{ type: "result", subtype: "success", is_error: false, result: say, session_id: "s" },
			...(usage === undefined
				? {}
				: {
						total_cost_usd: usage.costUsd,
						modelUsage: { m: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, costUSD: usage.costUsd } },
					}),
		},
	],
	codex: ({ say = "", usage }) => [
		{ type: "thread.started", thread_id: "s" },
		{ type: "item.completed", item: { id: "1", type: "agent_message", text: say } },
		{ type: "turn.completed", usage: usage === undefined ? {} : { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens } },
	],
	opencode: ({ say = "", usage }) => [
		{ type: "step_start", sessionID: "s", part: {} },
		{ type: "text", sessionID: "s", part: { text: say } },
		{
			type: "step_finish",
			sessionID: "s",
			part: {
				reason: "stop",
				...(usage === undefined ? {} : { tokens: { input: usage.inputTokens, output: usage.outputTokens }, cost: usage.costUsd }),
			},
		},
	],
	gemini: ({ say = "", usage }) => [
		{ type: "init", session_id: "s", model: "m" },
		{ type: "message", role: "assistant", content: say, delta: true },
		{
			type: "result",
			status: "success",
			stats: usage === undefined ? {} : { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
		},
	],
};

const speech = (events: readonly object[]): string => events.map((event) => `echo '${JSON.stringify(event)}'`).join("\n");

for (const cli of CLIS) {
	agentSuite(cli, (behaviour) =>
		standIn(
			folder(),
			cli,
			[speech(SPEAK[cli](behaviour)), behaviour.hang ? "sleep 600" : "", behaviour.fail ? "exit 1" : "exit 0"].join("\n"),
			// Two of them report no cost: a price table gives the same.
			{ prices: { input: 50_000, output: 50_000 } },
		),
	);
}

const run = (cli: string, lines: string, over: Partial<CliOptions> = {}, request: Partial<AgentRequest> = {}): Promise<AgentOutcome> => {
	const place = folder();
	return standIn(place, cli, lines, over).run(agentRequest(place, request), new AbortController().signal);
};
/** The arguments that the program gets. */
const argv = async (cli: string, request: Partial<AgentRequest> = {}, over: Partial<CliOptions> = {}): Promise<string> =>
	(await run(cli, 'cat > /dev/null; echo "$*"', over, request)).text.trim();

describe("command lines", () => {
	const session = { folder: folder(), continue: "abc-1" };

	it("D-164 are headless, with events, the prompt on stdin and nothing of it in the arguments", async () => {
		for (const cli of CLIS) {
			const outcome = await run(cli, 'echo "$*"; cat', {}, { prompt: "the prompt itself" });
			const [args, ...rest] = outcome.text.split("\n");
			assert.match(args ?? "", /stream-json|--json|--format json/);
			assert.doesNotMatch(args ?? "", /the prompt|resume|--session/);
			assert.deepEqual(rest.join("\n"), "the prompt itself");
		}
	});

	it("name the model, and end with what pawl.yml adds", async () => {
		for (const cli of CLIS) assert.match(await argv(cli, { model: "big" }, { args: ["--x", "y"] }), /(--model|-m) big .*--x y( -)?$/);
	});

	it("take no option for the name of a model or an effort", async () => {
		for (const cli of CLIS)
			for (const odd of [{ model: "--share" }, { effort: "--share" }])
				assert.match((await run(cli, "echo started", {}, odd)).error ?? "", /"--share" is no name/);
	});

	it("take the writing tools away from a read-only role", async () => {
		const readOnly = { readOnly: true };
		assert.match(await argv("claude", readOnly), /--disallowedTools=Edit,Write,NotebookEdit/);
		const codex = await argv("codex", readOnly);
		assert.match(codex, /default_permissions="pawl".*extends=":read-only"/);
		assert.doesNotMatch(codex, /bypass/);
		assert.equal((await run("opencode", 'echo "$OPENCODE_PERMISSION"', {}, readOnly)).text, '{"edit":"deny"}\n');
		const policy = await run("gemini", 'while [ "$1" != --policy ]; do shift; done; cat "$2"', {}, readOnly);
		assert.match(policy.text, /write_file.*replace.*\n.*deny/);
		for (const cli of CLIS) assert.doesNotMatch(await argv(cli), /disallowed|read-only|policy/i);
	});

	it("O-03 O-05 a role that may not run commands or use the network has no tools for it", async () => {
		const denied = { readOnly: true, denied: ["run", "commit", "network"] } as const;
		assert.match(await argv("claude", denied), /--disallowedTools=Edit,Write,NotebookEdit,Bash,WebFetch,WebSearch/);
		assert.match(await argv("codex", denied), /network=\{enabled=false\}/);
		const opencode = await run("opencode", 'echo "$OPENCODE_PERMISSION"', {}, denied);
		assert.equal(opencode.text, '{"edit":"deny","bash":"deny","webfetch":"deny"}\n');
		const policy = await run("gemini", 'while [ "$1" != --policy ]; do shift; done; cat "$2"', {}, denied);
		assert.match(policy.text, /"write_file", "replace", "run_shell_command", "web_fetch", "google_web_search"/);
		assert.doesNotMatch(await argv("claude", { denied: ["commit"] }), /disallowedTools/);
	});

	it("pass the limits on to agents that have such options", async () => {
		const limits = { maxTurns: 7, maxCostUsd: 1.5 };
		assert.match(await argv("claude", limits), /--max-turns 7 --max-budget-usd 1\.5/);
		const settings = JSON.parse((await run("gemini", 'cat "$GEMINI_CLI_HOME/.gemini/settings.json"', {}, limits)).text);
		assert.deepEqual([settings.model.maxSessionTurns, settings.general.maxAttempts], [7, 2]);
	});

	it("continue a session", async () => {
		assert.match(await argv("claude", { session }), /--resume abc-1/);
		assert.match(await argv("codex", { session }), /^exec resume --json .* abc-1 -$/);
		assert.match(await argv("opencode", { session }), /--session abc-1/);
		assert.match(await argv("gemini", { session }), /--resume abc-1/);
	});

	it("lower the agent's own retries", async () => {
		assert.equal((await run("claude", 'echo "$CLAUDE_CODE_MAX_RETRIES"')).text, "2\n");
		const provider = await argv("codex", {}, { args: ["-c", 'model_provider="stub"'] });
		assert.match(provider, /model_providers\.stub\.request_max_retries=1.*model_providers\.stub\.stream_max_retries=1/);
		assert.doesNotMatch(await argv("codex"), /max_retries/);
	});
});

describe("the home of an attempt", () => {
	it("has in a sandbox what can be seen there, and no link that leads nowhere", () => {
		const from = folder();
		put(from, { ".gitconfig": "x", ".ssh/id": "x", ".cache/tool/x": "x", ".claude/CLAUDE.md": "x" });
		const visible = [".gitconfig", ".cache/tool", ".claude/CLAUDE.md", "missing"].map((name) => join(from, name));
		const home = openHome({ userHome: from, keep: null, credentials: [], visible });
		const found = readdirSync(home.home, { recursive: true, encoding: "utf8" }).sort();
		home.close();
		assert.deepEqual(found, [".cache", ".cache/tool", ".cache/tool/x", ".gitconfig"]);
	});

	it("takes nothing back, removes nothing and writes nothing where an agent's links lead", async () => {
		const from = folder();
		put(from, { ".codex/auth.json": "token-1", "other/auth.json": "not for agents", "other/notes": "of the user" });
		utimesSync(join(from, "other", "auth.json"), new Date(), new Date(Date.now() + 60_000));
		const credentials = [{ file: join(from, ".codex", "auth.json"), as: "auth.json" }];
		const home = openHome({ userHome: null, keep: null, credentials });
		rmSync(home.config, { recursive: true });
		symlinkSync(join(from, "other"), home.config);
		home.close();
		assert.equal(readFileSync(join(from, ".codex", "auth.json"), "utf8"), "token-1");
		assert.equal(readFileSync(join(from, "other", "auth.json"), "utf8"), "not for agents");
		for (const [cli, name] of [
			["codex", "pawl-used.json"],
			["gemini", ".gemini/settings.json"],
		] as const) {
			const kept = folder();
			put(kept, { ".gemini/x": "" });
			symlinkSync(join(from, "other", "notes"), join(kept, name));
			await run(
				cli,
				speech(SPEAK[cli]({ usage: { inputTokens: 1, outputTokens: 1, costUsd: 0 } })),
				{},
				{ session: { folder: kept, continue: "s" } },
			);
			assert.equal(readFileSync(join(from, "other", "notes"), "utf8"), "of the user", cli);
		}
	});

	const put = (root: string, files: Readonly<Record<string, string>>): void => {
		for (const [path, text] of Object.entries(files)) {
			mkdirSync(dirname(join(root, path)), { recursive: true });
			writeFileSync(join(root, path), text);
		}
	};
	const SETTINGS = {
		".claude/settings.json": "{}",
		".claude/CLAUDE.md": "memory",
		".codex/config.toml": "",
		".gemini/GEMINI.md": "memory",
		".config/opencode/opencode.json": "{}",
	};
	const LOGINS = {
		claude: ".claude/.credentials.json",
		codex: ".codex/auth.json",
		opencode: ".local/share/opencode/auth.json",
		gemini: ".gemini/oauth_creds.json",
	};
	const OURS = {
		claude: "$CLAUDE_CONFIG_DIR/.credentials.json",
		codex: "$CODEX_HOME/auth.json",
		opencode: "$HOME/.local/share/opencode/auth.json",
		gemini: "$GEMINI_CLI_HOME/.gemini/oauth_creds.json",
	};
	const user = (): string => {
		const home = folder();
		put(home, { ...SETTINGS, ".gitconfig": "[user]\n\tname = U\n", ".config/tool/rc": "rc", "bin/thing": "thing" });
		for (const file of Object.values(LOGINS)) put(home, { [file]: "token-1" });
		return home;
	};
	const asUser = (home: string): Partial<AgentRequest> => ({ env: { PATH: process.env["PATH"] ?? "", HOME: home } });

	it("has the user's tools and logins, not the user's settings, and is gone afterwards", async () => {
		const home = user();
		for (const cli of CLIS) {
			const look = `cat > /dev/null; cat "$HOME/.gitconfig" "$HOME/.config/tool/rc" "$HOME/bin/thing" "${OURS[cli]}"; find -H "$HOME" "$TMPDIR/.." -maxdepth 5 | sort; : > "$TMPDIR/junk"; : > "$HOME/junk"`;
			const { text, result } = await run(cli, look, {}, asUser(home));
			assert.equal(result, "ok");
			assert.match(text, /name = U\nrcthingtoken-1/);
			assert.doesNotMatch(text, /CLAUDE\.md|config\.toml|GEMINI\.md|opencode\.json|\.claude\/settings/);
			assert.equal(existsSync(join(home, "junk")), false);
		}
		assert.deepEqual(left(), []);
		assert.deepEqual(readFileSync(join(home, ".claude/CLAUDE.md"), "utf8"), "memory");
	});

	it("brings a renewed token back, however it is written", async () => {
		for (const cli of CLIS)
			for (const renew of [
				`printf token-2 > "${OURS[cli]}"`,
				`printf token-2 > "${OURS[cli]}.new"; mv "${OURS[cli]}.new" "${OURS[cli]}"`,
			]) {
				const home = user();
				// Otherwise both files could have the same time.
				utimesSync(join(home, LOGINS[cli]), 1000, 1000);
				await run(cli, `cat > /dev/null; ${renew}; echo ok`, {}, asUser(home));
				assert.equal(readFileSync(join(home, LOGINS[cli]), "utf8"), "token-2", cli);
				assert.deepEqual(
					readdirSync(dirname(join(home, LOGINS[cli]))).filter((name) => name.includes("part")),
					[],
				);
			}
	});

	it("is the user's own with `settings: user`, but for its temporary files", async () => {
		const home = user();
		for (const cli of CLIS) {
			const { text } = await run(
				cli,
				'echo "$HOME|$TMPDIR|$CLAUDE_CONFIG_DIR$CODEX_HOME$GEMINI_CLI_HOME|$*"',
				{ settings: "user" },
				asUser(home),
			);
			const [shown, temporary, config, args] = text.split("|");
			assert.deepEqual([shown, config, temporary?.startsWith(temporary)], [home, "", true]);
			assert.doesNotMatch(args ?? "", /strict-mcp/);
		}
		assert.deepEqual(left(), []);
	});

	it("lets variables of pawl.yml win, and keeps their secrets out of logs (X-10)", async () => {
		const env = { CODEX_HOME: "/elsewhere", MINE_API_KEY: "sesame-open" };
		const { text } = await run("codex", 'echo "$CODEX_HOME $MINE_API_KEY"', { env });
		assert.equal(text, "/elsewhere ***\n");
	});

	it("has the keys of the user that the agent needs, and no others", async () => {
		const keys = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o", GEMINI_API_KEY: "g", OTHER_TOKEN: "t", CLAUDE_CODE_SSE_PORT: "1" };
		const look = 'echo "$ANTHROPIC_API_KEY.$CODEX_API_KEY.$GEMINI_API_KEY.$OTHER_TOKEN.$CLAUDE_CODE_SSE_PORT"';
		assert.equal((await run("claude", look, { user: keys })).text, "a....\n");
		assert.equal((await run("codex", look, { user: keys })).text, ".o...\n");
		assert.equal((await run("gemini", look, { user: keys })).text, "..g..\n");
	});

	it("of a process that was killed is swept", async () => {
		await run("claude", "echo hi");
		assert.equal(existsSync(orphan), false);
	});

	it("that cannot be made is an outcome, not an exception", async () => {
		process.env["TMPDIR"] = join(dir, "no", "such");
		writeFileSync(join(dir, "no"), "");
		const outcome = await run("claude", "echo hi");
		process.env["TMPDIR"] = temporary;
		assert.deepEqual([outcome.result, /cannot prepare a home for the agent/.test(outcome.error ?? "")], ["agent_error", true]);
	});
});

describe("a session that is kept", () => {
	it("finds its files again in the next attempt, without the login, and reports what that attempt used", async () => {
		const place = folder();
		const kept = join(place, "kept");
		const request = agentRequest(place, { session: { folder: kept, continue: null } });
		const signal = new AbortController().signal;
		const used = (input: number) =>
			speech([
				{ type: "thread.started", thread_id: "t" },
				{ type: "turn.completed", usage: { input_tokens: input, cached_input_tokens: input / 10, output_tokens: input / 100 } },
			]);
		const first = await standIn(place, "codex", `: > "$CODEX_HOME/rollout"; ${used(1000)}`).run(request, signal);
		const second = await standIn(place, "codex", `[ -e "$CODEX_HOME/rollout" ] || exit 9; ${used(1500)}`).run(
			{ ...request, session: { folder: kept, continue: "t" } },
			signal,
		);
		assert.deepEqual([first.sessionId, first.usage.inputTokens, second.result], ["t", 1000, "ok"]);
		assert.deepEqual([second.usage.inputTokens, second.details?.cachedTokens, second.usage.outputTokens], [500, 50, 5]);
		assert.deepEqual(left(), []);
	});
});

describe("a session that is asked for its report again", () => {
	const message = "only the report";
	/** What the program was told, and with which arguments. */
	const told = async (cli: Cli, lines: string, kept: string): Promise<AgentOutcome & { prompts: unknown[] }> => {
		const place = folder();
		const request = agentRequest(place, { prompt: "the whole task", session: { folder: kept, continue: "abc-1", message } });
		const outcome = await standIn(place, cli, lines).run(request, new AbortController().signal);
		return { ...outcome, prompts: logLines(request.logFile).flatMap((line) => (line["type"] === "prompt" ? [line["text"]] : [])) };
	};
	const says = (cli: Cli): string => `cat > /dev/null; ${speech(SPEAK[cli]({ say: "STATUS: done" }))}`;
	const asked = (args: string): string => `case "$*" in *abc-1*) ${args};; esac`;

	it("hears the short message, and can be continued once more", async () => {
		for (const cli of CLIS) {
			const { prompts, text, resumable } = await told(cli, says(cli), folder());
			assert.deepEqual([prompts, text.trim(), resumable], [[message], "STATUS: done", true], cli);
			assert.equal((await run(cli, says(cli))).resumable, undefined, "a session that nobody keeps leaves nothing to continue");
		}
	});

	it("is a fresh one with the whole prompt if its folder is gone", async () => {
		for (const cli of CLIS) {
			const { prompts, result } = await told(cli, `${asked("exit 9")}; ${says(cli)}`, join(folder(), "gone"));
			assert.deepEqual([prompts, result], [["the whole task"], "ok"], cli);
		}
	});

	it("is a fresh one with the whole prompt if the program no longer knows the session", async () => {
		for (const cli of CLIS) {
			const { prompts, result } = await told(cli, `${asked("echo no such session >&2; exit 1")}; ${says(cli)}`, folder());
			assert.deepEqual([prompts, result], [[message, "the whole task"], "ok"], cli);
		}
	});
});

describe("limits that pawl keeps itself", () => {
	const loop = `cat '${fixture("opencode", "loop-steps")}'; sleep 600`;

	it("end it when it exceeds its turns, and leave nothing alive", async () => {
		const mark = `cli-agent-${process.pid}`;
		const outcome = await run("opencode", loop, { isolate: true }, { maxTurns: 3, mark });
		assert.deepEqual([outcome.result, outcome.error], ["agent_error", "turn limit: it went on after 3 turns"]);
		assert.deepEqual(markedProcesses(mark), []);
		assert.equal(
			(await run("opencode", loop.replace("sleep 600", "exit 0"), {}, { maxTurns: 6 })).error,
			"its output ended before the session did",
		);
	});

	it("end it when it costs more", async () => {
		const outcome = await run("opencode", loop, {}, { maxCostUsd: 0.004 });
		assert.deepEqual([outcome.result, /cost limit.*of \$0\.004/.test(outcome.error ?? "")], ["agent_error", true]);
	});
});

describe("odd ends", () => {
	it("silence after a reported limit counts as that limit", async () => {
		const waits = speech([
			{ type: "thread.started", thread_id: "t" },
			{ type: "error", message: "Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)" },
		]);
		const outcome = await run("codex", `${waits}; sleep 600`, {}, { stallMs: 200 });
		assert.equal(outcome.result, "rate_limited");
		assert.equal(
			(await run("codex", `${speech([{ type: "thread.started", thread_id: "t" }])}; sleep 600`, {}, { stallMs: 200 })).result,
			"stalled",
		);
	});

	it("a long silence after a reported limit is ended before the step's time is over", async () => {
		const told = speech([
			{ type: "thread.started", thread_id: "t" },
			{ type: "error", message: "Reconnecting... 1/1 (exceeded retry limit, last status: 429 Too Many Requests)" },
		]);
		const mark = `cli-agent-limit-${process.pid}`;
		const outcome = await run("codex", `${told}; sleep 600`, {}, { timeoutMs: 3000, mark });
		assert.deepEqual([outcome.result, /429/.test(outcome.error ?? ""), outcome.exitCode === 0], ["rate_limited", true, false]);
		assert.deepEqual(markedProcesses(mark), []);
		// An agent that goes on afterwards, or only lost its connection, keeps all of its time.
		const answered = speech([{ type: "item.completed", item: { id: "1", type: "agent_message", text: "hi" } }]);
		assert.equal((await run("codex", `${told}; ${answered}; sleep 600`, {}, { timeoutMs: 900 })).result, "timeout");
		const lost = told.replace("exceeded retry limit, last status: 429 Too Many Requests", "stream disconnected before completion");
		assert.equal((await run("codex", `${lost}; sleep 600`, {}, { timeoutMs: 900 })).result, "timeout");
	});

	it("an error that opencode recovered from is the reason, if its exit code reports a failure", async () => {
		const error = { name: "ContextOverflowError", data: { message: "prompt is too long: 9 > 8" } };
		const lines = speech([{ type: "error", sessionID: "s", timestamp: 1, error }, ...SPEAK.opencode({ say: "Done." })]);
		const failed = await run("opencode", `${lines}\nexit 1`);
		assert.deepEqual([failed.result, failed.error], ["context_too_long", "prompt is too long: 9 > 8"]);
		assert.equal((await run("opencode", `${lines}\nexit 0`)).result, "ok");
		assert.equal((await run("opencode", `${lines}\nkill -KILL $$`)).result, "agent_error");
	});

	it("a stream that is cut in the middle of a line is not a success, and what came before it counts", async () => {
		const outcome = await run("opencode", `head -c 2500 '${fixture("opencode", "task")}'`);
		assert.deepEqual([outcome.result, outcome.usage.inputTokens], ["agent_error", 1200]);
	});

	it("no output at all is not a success", async () => {
		for (const cli of CLIS) assert.equal((await run(cli, "exit 0")).result, "agent_error");
	});

	it("unknown events are logged and do no harm", async () => {
		const place = folder();
		const request = agentRequest(place);
		const lines = speech([
			{ type: "system", subtype: "new", session_id: "s" },
			{ type: "brand_new", x: [1] },
			...SPEAK.claude({ say: "hi" }),
		]);
		const outcome = await standIn(place, "claude", lines).run(request, new AbortController().signal);
		assert.deepEqual([outcome.result, outcome.text], ["ok", "hi"]);
		assert.ok(logLines(request.logFile).some((line) => line["type"] === "brand_new"));
		const end = logLines(request.logFile).at(-1);
		assert.deepEqual([end?.["costFrom"], end?.["toolCalls"]], ["unknown", 0]);
	});
});

describe("what doctor is told", () => {
	it("is whether somebody is logged in, by a variable or a file", () => {
		const home = folder();
		mkdirSync(join(home, ".codex"));
		writeFileSync(join(home, ".codex/auth.json"), "secret");
		const { claude, codex } = KNOWN_AGENTS;
		assert.equal(claude?.loggedIn({ HOME: home }), null);
		assert.equal(claude?.loggedIn({ HOME: home, ANTHROPIC_API_KEY: "secret" }), "ANTHROPIC_API_KEY is set");
		assert.equal(codex?.loggedIn({ HOME: home }), `${home}/.codex/auth.json is there`);
	});
});
