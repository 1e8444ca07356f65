// What pawl has to know about one agent CLI. An adapter builds the command line and interprets exit codes. Everything else is shared:
// reading streams (stream/), the home (home.ts), running, limits and judging the end (program/).
import type { AgentInfo, AgentRequest } from "../../agent.ts";
import type { McpServerCommand } from "../program/mcp-server.ts";
import type { StreamError } from "../stream/event.ts";
import type { Credential } from "./home.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

export interface Launch {
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	/** Files to write into the attempt's configuration folder, by path. */
	readonly files?: Readonly<Record<string, string>>;
}

export interface LaunchContext {
	readonly request: AgentRequest;
	/** The attempt's own configuration folder. */
	readonly config: string;
	/** The user's own settings are to be used: leave the configuration where it is. */
	readonly userSettings: boolean;
	/** Arguments from pawl.yml. The adapter puts them where they override its own. */
	readonly extra: readonly string[];
	/** The user's environment. */
	readonly user: Variables;
	/** The MCP server to give to the agent. */
	readonly mcp?: McpServerCommand | null;
}

export interface Adapter extends AgentInfo {
	/** Variables of the user that the agent needs to log in or to find its server. */
	readonly env: readonly string[];
	/** The user's files that hold the login. */
	credentials(user: Variables): readonly Credential[];
	/** Where it keeps its settings, memory and sessions: with `settings: user` it works with these. */
	folders(user: Variables): readonly string[];
	/** Other files of the user that it reads to log in. */
	reads?(user: Variables): readonly string[];
	/** Where in HOME the configuration must be, for agents that have no variable for it. */
	readonly configAt?: string;
	launch(context: LaunchContext): Launch;
	exitMeans?(code: number, complaint: string): StreamError | null;
	/** It reports tokens and no cost: without prices in pawl.yml the cost is unknown. */
	readonly unpriced?: boolean;
	/** A continued session reports its usage since its beginning, not since the last attempt. */
	readonly cumulative?: boolean;
	readonly capabilities: Capabilities;
}

/** The rows of the table in docs/agents.md. */
export interface Capabilities {
	readonly "final text": string;
	readonly model: string;
	readonly "choice of a model": string;
	readonly effort: string;
	readonly tokens: string;
	readonly cost: string;
	readonly turns: string;
	readonly "tool calls": string;
	readonly "reset time of a limit": string;
	readonly "turn limit": string;
	readonly "cost limit": string;
	readonly "its own retries": string;
	readonly "read-only roles": string;
	readonly "continued session": string;
	readonly "own configuration": string;
	readonly "pawl's own tools": string;
}

/** Names the first variable that is set or file that exists; null without either. */
export function loginOf(
	user: Variables,
	variables: readonly string[],
	files: readonly Credential[],
	exists: (file: string) => boolean,
): string | null {
	const variable = variables.find((name) => (user[name] ?? "") !== "");
	if (variable !== undefined) return `${variable} is set`;
	const file = files.find((each) => exists(each.file))?.file;
	return file === undefined ? null : `${file} is there`;
}

/** A path in the user's home. */
export const inHome = (user: Variables, path: string): string => `${user["HOME"] ?? ""}/${path}`;
