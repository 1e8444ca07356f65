// How pawl tells each CLI to start `pawl mcp`: with the attempt's variables, and never with the token in an argument.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { agentRequest } from "../agent.suite.ts";
import type { Launch } from "../cli/adapter.ts";
import { KNOWN_AGENTS } from "../cli/known.ts";
import { mcpServer } from "./mcp-server.ts";

const ENV = { PAWL_INBOX: "/shared/inbox/S-1-step-001-1", PAWL_INBOX_TOKEN: "the-token" };
const server = mcpServer(["/opt/node", "/opt/pawl/start.cjs", "mcp"], { ...ENV, HOME: "/h" });

const launch = (name: string, given: typeof server, userSettings = false): Launch => {
	const adapter = KNOWN_AGENTS[name];
	assert.ok(adapter);
	return adapter.launch({ request: agentRequest("/repo"), config: "/c", userSettings, extra: [], user: {}, mcp: given });
};

describe("pawl mcp for a CLI", () => {
	it("is a command with the variables of the attempt, where it is wanted and the attempt has a report box", () => {
		assert.deepEqual(server, { command: "/opt/node", args: ["/opt/pawl/start.cjs", "mcp"], env: ENV });
		assert.equal(mcpServer(null, ENV), null);
		assert.equal(mcpServer(["pawl", "mcp"], {}), null);
	});

	it("is in the configuration of each, and the token in no argument", () => {
		const claude = launch("claude", server);
		assert.ok(claude.args.includes("--mcp-config=/c/pawl-mcp.json"));
		assert.deepEqual(JSON.parse(claude.files?.["pawl-mcp.json"] ?? ""), {
			mcpServers: { pawl: { type: "stdio", ...server, alwaysLoad: true } },
		});
		const codex = launch("codex", server).args.find((arg) => arg.startsWith("mcp_servers.pawl="));
		// Close enough to YAML to be read as such.
		assert.deepEqual(parse((codex ?? "").replace("mcp_servers.pawl=", "").replaceAll(/(\w+)=/g, "$1: ")), {
			command: "/opt/node",
			args: ["/opt/pawl/start.cjs", "mcp"],
			env_vars: ["PAWL_INBOX", "PAWL_INBOX_TOKEN"],
			default_tools_approval_mode: "approve",
		});
		assert.deepEqual(JSON.parse(launch("opencode", server).env["OPENCODE_CONFIG_CONTENT"] ?? ""), {
			mcp: { pawl: { type: "local", command: ["/opt/node", "/opt/pawl/start.cjs", "mcp"], enabled: true, environment: ENV } },
		});
		assert.deepEqual(JSON.parse(launch("gemini", server).files?.[".gemini/settings.json"] ?? "").mcpServers, {
			pawl: { ...server, trust: true },
		});
		for (const name of Object.keys(KNOWN_AGENTS)) assert.doesNotMatch(launch(name, server).args.join(" "), /the-token/, name);
	});

	it("is nowhere where it is not wanted", () => {
		for (const name of Object.keys(KNOWN_AGENTS))
			assert.doesNotMatch(JSON.stringify(launch(name, null)), /mcpServers|mcp_servers|mcp-config=|"mcp"/, name);
	});
});
