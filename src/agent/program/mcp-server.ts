// The MCP server that an agent starts for an attempt: `pawl mcp`, with the variables that identify the attempt. CLIs pass
// only part of their environment on to an MCP server, so pawl names these two variables for each of them.
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
