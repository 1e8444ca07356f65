// The MCP server that an agent's CLI is told to start for an attempt: `pawl mcp`, with the variables that say whose it is. CLIs
// hand on only some of their environment to what they start, so these two are named to each of them.
const INBOX_VARIABLES = ["PAWL_INBOX", "PAWL_INBOX_TOKEN"] as const;

export interface McpServerCommand {
	readonly command: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
}

/** null: none is wanted, or the attempt has no inbox. */
export function mcpServer(line: readonly string[] | null, env: Readonly<Record<string, string>>): McpServerCommand | null {
	const [command, ...args] = line ?? [];
	const own = INBOX_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
	return command === undefined || own.length === 0 ? null : { command, args, env: Object.fromEntries(own) };
}
