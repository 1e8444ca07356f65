// opencode, headless. It has no variable for its configuration, so it gets a HOME in which its data folder is the attempt's.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { McpServerCommand } from "../program/mcp-server.ts";
import { type Adapter, inHome, loginOf, type Variables } from "./adapter.ts";

const LOGIN = [
	"ANTHROPIC_API_KEY",
	"OPENAI_API_KEY",
	"GEMINI_API_KEY",
	"GOOGLE_GENERATIVE_AI_API_KEY",
	"OPENROUTER_API_KEY",
	"OPENCODE_API_KEY",
];

const credentials = (user: Variables) => [
	{ file: join(user["XDG_DATA_HOME"] ?? inHome(user, ".local/share"), "opencode", "auth.json"), as: "auth.json" },
];

export const opencode: Adapter = {
	name: "opencode",
	program: "opencode",
	tested: "1.18.33",
	install: "npm install -g opencode-ai@1.18.33",
	login: "run opencode auth login, or set the variable of your provider's key",
	loggedIn: (user) => loginOf(user, LOGIN, credentials(user), existsSync),
	env: [...LOGIN, "OPENCODE_CONFIG", "OPENCODE_DISABLE_*"],
	credentials,
	folders: (user) => [
		join(user["XDG_CONFIG_HOME"] ?? inHome(user, ".config"), "opencode"),
		join(user["XDG_DATA_HOME"] ?? inHome(user, ".local/share"), "opencode"),
		join(user["XDG_STATE_HOME"] ?? inHome(user, ".local/state"), "opencode"),
		join(user["XDG_CACHE_HOME"] ?? inHome(user, ".cache"), "opencode"),
	],
	configAt: ".local/share/opencode",
	launch: ({ request, userSettings, extra, user, mcp = null }) => {
		const { model, effort, readOnly, denied = [], session, cwd } = request;
		const permission = {
			...(readOnly ? { edit: "deny" } : {}),
			...(denied.includes("run") ? { bash: "deny" } : {}),
			...(denied.includes("network") ? { webfetch: "deny" } : {}),
		};
		const going = session?.continue ?? null;
		return {
			args: [
				...["run", "--format", "json", "--dir", cwd],
				// A given title saves the request that would make one up; --auto answers what would wait for a person.
				...["--title", "step", "--auto"],
				...(model === null ? [] : ["-m", model]),
				...(effort === undefined ? [] : ["--variant", effort]),
				...(going === null ? [] : ["--session", going]),
				...extra,
			],
			env: {
				OPENCODE_DISABLE_AUTOUPDATE: "1",
				OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
				...(Object.keys(permission).length > 0 ? { OPENCODE_PERMISSION: JSON.stringify(permission) } : {}),
				// This is merged with its configuration files.
				...(mcp === null ? {} : { OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: { pawl: localServer(mcp) } }) }),
				...(userSettings ? xdgOf(user) : {}),
			},
		};
	},
	capabilities: {
		"final text": "texts of the last step",
		model: "no",
		"choice of a model": "`-m`, as PROVIDER/MODEL",
		effort: "`--variant`: what the model's provider offers",
		tokens: "by step, while it runs",
		cost: "reported where it has a price; price table",
		turns: "counted by step",
		"tool calls": "name, target, duration",
		"reset time of a limit": "`retry-after`",
		"turn limit": "counted by pawl",
		"cost limit": "counted by pawl",
		"its own retries": "5, cannot be changed",
		"read-only roles": "no edit tools (`OPENCODE_PERMISSION`)",
		"continued session": "`--session`",
		"own configuration": "a HOME of its own",
		"pawl's own tools": "`pawl_…`, offered at once",
	},
};

const localServer = ({ command, args, env }: McpServerCommand): object => ({
	type: "local",
	command: [command, ...args],
	enabled: true,
	environment: env,
});

function xdgOf(user: Variables): Record<string, string> {
	const set = ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"].flatMap((name) => {
		const value = user[name];
		return value === undefined ? [] : [[name, value] as const];
	});
	return Object.fromEntries(set);
}
