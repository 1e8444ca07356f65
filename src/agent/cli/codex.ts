// Codex, headless. All settings go by `-c`, so that they also work on top of the user's own config.toml.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { McpServerCommand } from "../program/mcp-server.ts";
import { type Adapter, inHome, loginOf, type Variables } from "./adapter.ts";

const LOGIN = ["CODEX_API_KEY", "OPENAI_API_KEY"];

const credentials = (user: Variables) => [{ file: join(user["CODEX_HOME"] ?? inHome(user, ".codex"), "auth.json"), as: "auth.json" }];

export const codex: Adapter = {
	name: "codex",
	program: "codex",
	tested: "0.166.0",
	install: "npm install -g @openai/codex@0.166.0",
	login: "run codex login, or set CODEX_API_KEY",
	loggedIn: (user) => loginOf(user, LOGIN, credentials(user), existsSync),
	env: [...LOGIN, "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "CODEX_HOME"],
	credentials,
	folders: (user) => [user["CODEX_HOME"] ?? inHome(user, ".codex")],
	cumulative: true,
	launch: ({ request, config, userSettings, extra, user, mcp = null }) => {
		const { model, effort, readOnly, denied = [], session, who } = request;
		const going = session?.continue ?? null;
		return {
			args: [
				"exec",
				...(going === null ? [] : ["resume"]),
				"--json",
				"--skip-git-repo-check",
				...(readOnly ? readOnlyArgs(who.sharedDir, !denied.includes("network")) : ["--dangerously-bypass-approvals-and-sandbox"]),
				// Plugins look for updates; without a network that takes 5 seconds at the end of every session.
				...["features.plugins=false", "check_for_update_on_startup=false", "analytics.enabled=false"].flatMap((each) => ["-c", each]),
				...(model === null ? [] : ["-m", model]),
				...(effort === undefined ? [] : ["-c", `model_reasoning_effort=${JSON.stringify(effort)}`]),
				...(mcp === null ? [] : ["-c", `mcp_servers.pawl=${mcpTable(mcp)}`]),
				...extra,
				...fewerRetries(extra),
				...(going === null ? [] : [going]),
				"-",
			],
			env: {
				...keyOf(user),
				...(userSettings ? {} : { CODEX_HOME: config }),
			},
		};
	},
	unpriced: true,
	capabilities: {
		"final text": "last `agent_message`",
		model: "no",
		"choice of a model": "`-m`",
		effort: "`model_reasoning_effort`: minimal, low, medium, high",
		tokens: "at the end only; lost when it fails",
		cost: "price table",
		turns: "estimated from the tools between answers",
		"tool calls": "name, target, duration; not those that its sandbox refused",
		"reset time of a limit": "where the message says it",
		"turn limit": "counted by pawl",
		"cost limit": "no: it reports its tokens too late",
		"its own retries": "5; 1 for a provider of pawl.yml's `args`",
		"read-only roles": "sandbox: writes to the run's folder only",
		"continued session": "`exec resume`",
		"own configuration": "`CODEX_HOME`",
		"pawl's own tools": "found by its `tool_search`",
	},
};

/** Codex reads its key from one variable only. A login outranks OPENAI_API_KEY, which may be set for something else. */
function keyOf(user: Variables): Record<string, string> {
	const key = user["OPENAI_API_KEY"] ?? "";
	const used = (user["CODEX_API_KEY"] ?? "") !== "" || credentials(user).some(({ file }) => existsSync(file));
	return key === "" || used ? {} : { CODEX_API_KEY: key };
}

/** It may read everything, and write only notes and edits (the run's folder). */
function readOnlyArgs(sharedDir: string, network: boolean): string[] {
	const profile = `{extends=":read-only",filesystem={${JSON.stringify(sharedDir)}="write",":tmpdir"="write"},network={enabled=${network}}}`;
	return ["-c", 'approval_policy="never"', "-c", 'default_permissions="pawl"', "-c", `permissions.pawl=${profile}`];
}

/** Passes the variables by name, because everybody can read arguments. Without `approve` every call is cancelled, since nobody is there to ask. */
function mcpTable({ command, args, env }: McpServerCommand): string {
	const names = JSON.stringify(Object.keys(env));
	return `{command=${JSON.stringify(command)},args=${JSON.stringify(args)},env_vars=${names},default_tools_approval_mode="approve"}`;
}

/** Retries are a setting of the provider; those of the built-in provider cannot be changed. */
function fewerRetries(extra: readonly string[]): string[] {
	if (extra.some((each) => each.includes("_max_retries"))) return [];
	const provider = extra.map((each) => /^model_provider\s*=\s*"?([\w-]+)"?$/.exec(each.trim())?.[1]).findLast((each) => each !== undefined);
	if (provider === undefined || ["openai", "oss", "ollama", "lmstudio"].includes(provider)) return [];
	return ["request_max_retries", "stream_max_retries"].flatMap((key) => ["-c", `model_providers.${provider}.${key}=1`]);
}
