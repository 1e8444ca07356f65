// Gemini CLI, headless. Its exit code is the HTTP status modulo 256, or one of its own.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { McpServerCommand } from "../program/mcp-server.ts";
import { objectOf, type StreamError, textOf } from "../stream/event.ts";
import { failure } from "../stream/failure.ts";
import { type Adapter, inHome, loginOf, type Variables } from "./adapter.ts";

const LOGIN = ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"];

const folderOf = (user: Variables): string => join(user["GEMINI_CLI_HOME"] ?? inHome(user, ""), ".gemini");
const credentials = (user: Variables) =>
	["oauth_creds.json", "google_accounts.json", "gemini-credentials.json", ".env"].map((name) => ({
		file: join(folderOf(user), name),
		as: `.gemini/${name}`,
	}));

export const gemini: Adapter = {
	name: "gemini",
	program: "gemini",
	tested: "0.61.0",
	install: "npm install -g @google/gemini-cli@0.61.0",
	login: "run gemini and log in, or set GEMINI_API_KEY",
	// The list of accounts is not a login.
	loggedIn: (user) =>
		loginOf(
			user,
			LOGIN,
			credentials(user).filter(({ as }) => as !== ".gemini/google_accounts.json"),
			existsSync,
		),
	env: [
		...LOGIN,
		"GOOGLE_GEMINI_BASE_URL",
		"GOOGLE_CLOUD_PROJECT",
		"GOOGLE_CLOUD_LOCATION",
		"GOOGLE_APPLICATION_CREDENTIALS",
		"GEMINI_CLI_HOME",
	],
	credentials,
	folders: (user) => [folderOf(user)],
	reads: ({ GOOGLE_APPLICATION_CREDENTIALS: file = "" }) => (file === "" ? [] : [file]),
	launch: ({ request, config, userSettings, extra, user, mcp = null }) => {
		const { model, readOnly, denied = [], maxTurns = null, session } = request;
		const without = [
			...(readOnly ? ["write_file", "replace"] : []),
			...(denied.includes("run") ? ["run_shell_command"] : []),
			...(denied.includes("network") ? ["web_fetch", "google_web_search"] : []),
		];
		const going = session?.continue ?? null;
		return {
			args: [
				...["--output-format", "stream-json", "--approval-mode", "yolo", "--skip-trust"],
				...(without.length > 0 ? ["--policy", join(config, "read-only.toml")] : []),
				...(model === null ? [] : ["-m", model]),
				...(going === null ? [] : ["--resume", going]),
				...extra,
			],
			env: {
				// Otherwise it starts itself a second time, and the first process ignores signals.
				GEMINI_CLI_NO_RELAUNCH: "true",
				GEMINI_TELEMETRY_ENABLED: "false",
				...(userSettings ? {} : { GEMINI_CLI_HOME: config }),
			},
			files: {
				...(without.length > 0 ? { "read-only.toml": deny(without) } : {}),
				...(userSettings ? {} : { ".gemini/settings.json": settings(user, maxTurns, mcp) }),
			},
		};
	},
	exitMeans: (code, complaint) => {
		const status = [400, 401, 402, 403, 413, 429, 500, 502, 503, 504, 529].find((each) => each % 256 === code);
		if (status !== undefined) return failure(complaint || `status ${status}`, status, null, Date.now());
		const own: StreamError["result"] | undefined = code === 41 ? "auth" : code === 55 ? "permission" : undefined;
		return own === undefined ? null : { result: own, message: complaint || `exit code ${code}`, retryAt: null };
	},
	unpriced: true,
	effortless: true,
	capabilities: {
		"final text": "what it said after the last tool",
		model: "yes",
		"choice of a model": "`-m`",
		effort: "no option",
		tokens: "at the end only",
		cost: "price table",
		turns: "estimated from the tools between answers",
		"tool calls": "name, target, duration",
		"reset time of a limit": "no",
		"turn limit": "`maxSessionTurns`, and counted by pawl",
		"cost limit": "no: it reports its tokens too late",
		"its own retries": "2 attempts (`maxAttempts`)",
		"read-only roles": "policy: no write_file, replace",
		"continued session": "`--resume`",
		"own configuration": "`GEMINI_CLI_HOME`",
		"pawl's own tools": "`mcp_pawl_…`, offered at once",
	},
};

const deny = (tools: readonly string[]): string =>
	`[[rule]]\ntoolName = [${tools.map((tool) => `"${tool}"`).join(", ")}]\ndecision = "deny"\npriority = 900\n`;

function settings(user: Variables, maxTurns: number | null, mcp: McpServerCommand | null): string {
	const selectedType = authType(user);
	return JSON.stringify({
		...(selectedType === null ? {} : { security: { auth: { selectedType } } }),
		privacy: { usageStatisticsEnabled: false },
		telemetry: { enabled: false },
		general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 2 },
		...(maxTurns === null ? {} : { model: { maxSessionTurns: maxTurns } }),
		...(mcp === null ? {} : { mcpServers: { pawl: { ...mcp, trust: true } } }),
	});
}

/** How the user logs in (without it the CLI asks): as chosen in the settings, else as the environment suggests. */
function authType(user: Variables): string | null {
	try {
		const chosen = JSON.parse(readFileSync(join(folderOf(user), "settings.json"), "utf8"));
		const type = textOf(objectOf(objectOf(objectOf(chosen)["security"])["auth"])["selectedType"]);
		if (type !== null) return type;
	} catch {
		// There are no settings, or they hold comments.
	}
	if ((user["GEMINI_API_KEY"] ?? "") !== "") return "gemini-api-key";
	if (user["GOOGLE_GENAI_USE_VERTEXAI"] === "true") return "vertex-ai";
	return existsSync(join(folderOf(user), "oauth_creds.json")) ? "oauth-personal" : null;
}
