// Claude Code, headless.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Adapter, inHome, loginOf, type Variables } from "./adapter.ts";

const LOGIN = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"];

const MCP_FILE = "pawl-mcp.json";

const credentials = (user: Variables) => [
	{ file: join(user["CLAUDE_CONFIG_DIR"] ?? inHome(user, ".claude"), ".credentials.json"), as: ".credentials.json" },
];

export const claude: Adapter = {
	name: "claude",
	program: "claude",
	tested: "2.1.325",
	install: "npm install -g @anthropic-ai/claude-code@2.1.325",
	login: "run claude and /login, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN (claude setup-token)",
	loggedIn: (user) => loginOf(user, LOGIN, credentials(user), existsSync),
	// Not all that begin with CLAUDE_CODE_: some tell it that it runs inside of itself.
	env: [...LOGIN, "ANTHROPIC_*", "CLAUDE_CONFIG_DIR"],
	credentials,
	launch: ({ request, config, userSettings, extra, mcp = null }) => {
		const { model, readOnly, denied = [], maxTurns = null, maxCostUsd = null, session } = request;
		const without = [
			...(readOnly ? ["Edit", "Write", "NotebookEdit"] : []),
			...(denied.includes("run") ? ["Bash"] : []),
			...(denied.includes("network") ? ["WebFetch", "WebSearch"] : []),
		];
		const going = session?.continue ?? null;
		return {
			args: [
				"-p",
				"--output-format",
				"stream-json",
				"--verbose",
				"--dangerously-skip-permissions",
				...(userSettings ? [] : ["--strict-mcp-config"]),
				// With =, for the same reason as below.
				...(mcp === null ? [] : [`--mcp-config=${join(config, MCP_FILE)}`]),
				...(model === null ? [] : ["--model", model]),
				// With =, because the option takes all words that follow. Unless its role may not run anything the shell stays: notes and edits are
				// written outside of the worktree.
				...(without.length > 0 ? [`--disallowedTools=${without.join(",")}`] : []),
				...(maxTurns === null ? [] : ["--max-turns", String(maxTurns)]),
				...(maxCostUsd === null ? [] : ["--max-budget-usd", String(maxCostUsd)]),
				...(going === null ? [] : ["--resume", going]),
				...extra,
			],
			env: {
				// It refuses to run unattended as root without it.
				IS_SANDBOX: "1",
				CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
				DISABLE_AUTOUPDATER: "1",
				// 10 of its own would be 3 minutes; pawl waits, in one place.
				CLAUDE_CODE_MAX_RETRIES: "2",
				...(userSettings ? {} : { CLAUDE_CONFIG_DIR: config }),
			},
			// Loaded from the start: a tool that it would have to look for is one that it may not find.
			files: mcp === null ? {} : { [MCP_FILE]: JSON.stringify({ mcpServers: { pawl: { type: "stdio", ...mcp, alwaysLoad: true } } }) },
		};
	},
	capabilities: {
		"final text": "`result` of the last event",
		model: "yes",
		tokens: "by model, at the end; input while it runs",
		cost: "reported (list prices)",
		turns: "reported",
		"tool calls": "name, target, duration",
		"reset time of a limit": "yes, with a subscription",
		"turn limit": "`--max-turns`, and counted by pawl",
		"cost limit": "`--max-budget-usd`",
		"its own retries": "2 (`CLAUDE_CODE_MAX_RETRIES`)",
		"read-only roles": "no Edit, Write, NotebookEdit",
		"continued session": "`--resume`",
		"own configuration": "`CLAUDE_CONFIG_DIR`, `--strict-mcp-config`",
		"pawl's own tools": "`mcp__pawl__…`, offered at once",
	},
};
