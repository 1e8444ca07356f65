// The MCP server that an agent starts for an attempt: `pawl mcp`, with the variables that identify the attempt. CLIs pass
// only part of their environment on to an MCP server, so pawl names these two variables for each of them.
import { dirname } from "node:path";
import { type Place, read, type Sandbox } from "../../core/sandbox/sandbox.ts";

const REPORT_BOX_VARIABLES = ["PAWL_INBOX", "PAWL_INBOX_TOKEN"] as const;

export interface McpServerCommand {
	readonly command: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
}

/** null if no server is wanted or the attempt has no report box. */
export function mcpServer(line: readonly string[] | null, env: Readonly<Record<string, string>>): McpServerCommand | null {
	const [command, ...args] = line ?? [];
	const own = REPORT_BOX_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
	return command === undefined || own.length === 0 ? null : { command, args, env: Object.fromEntries(own) };
}

/** What it needs to see in a sandbox: Node, the package that its script lies in, and the journal. */
export function mcpPlaces(line: readonly string[] | null, sandbox: Sandbox | undefined): readonly Place[] {
	if (line === null || sandbox === undefined) return [];
	const [node = "", script = ""] = line;
	return [read(node), read(dirname(dirname(script))), ...sandbox.journal];
}
