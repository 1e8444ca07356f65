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
	// Not everything that begins with CLAUDE_CODE_: some of these tell it that it runs inside itself.
	env: [...LOGIN, "ANTHROPIC_*", "CLAUDE_CONFIG_DIR"],
	credentials,
	folders: (user) => [user["CLAUDE_CONFIG_DIR"] ?? inHome(user, ".claude"), inHome(user, ".claude.json")],
	launch: ({ request, config, userSettings, extra, mcp = null }) => {
		const { model, effort, readOnly, denied = [], maxTurns = null, maxCostUsd = null, session } = request;
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
				// With "=", for the same reason as below.
				...(mcp === null ? [] : [`--mcp-config=${join(config, MCP_FILE)}`]),
				...(model === null ? [] : ["--model", model]),
				...(effort === undefined ? [] : ["--effort", effort]),
				// With "=", because the option takes all words that follow. The shell stays unless the role may not run commands: notes and
				// edits are written outside the worktree.
				...(without.length > 0 ? [`--disallowedTools=${without.join(",")}`] : []),
				...(maxTurns === null ? [] : ["--max-turns", String(maxTurns)]),
				...(maxCostUsd === null ? [] : ["--max-budget-usd", String(maxCostUsd)]),
				...(going === null ? [] : ["--resume", going]),
				...extra,
			],
			env: {
				// Without this it refuses to run unattended as root.
				IS_SANDBOX: "1",
				CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
				DISABLE_AUTOUPDATER: "1",
				// Its default of 10 takes 3 minutes; waiting is pawl's job.
				CLAUDE_CODE_MAX_RETRIES: "2",
				...(userSettings ? {} : { CLAUDE_CONFIG_DIR: config }),
			},
			// Loaded from the start, so that it need not search for the tools.
			files: mcp === null ? {} : { [MCP_FILE]: JSON.stringify({ mcpServers: { pawl: { type: "stdio", ...mcp, alwaysLoad: true } } }) },
		};
	},
	capabilities: {
		"final text": "`result` of the last event",
		model: "yes",
		"choice of a model": "`--model`",
		effort: "`--effort`: low, medium, high, xhigh, max",
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
