// What pawl has to know about one agent CLI. An adapter builds the command line and reads exit codes; the reader of its
// stream, its home, its limits and its end are everybody's (stream-*.ts, home.ts, run.ts, judge.ts).
import type { AgentInfo, AgentRequest } from "../../agent.ts";
import type { McpServerCommand } from "../program/mcp-server.ts";
import type { StreamError } from "../stream/event.ts";
import type { Credential } from "./home.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

export interface Launch {
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	/** Files of the attempt, by their path in its configuration folder. */
	readonly files?: Readonly<Record<string, string>>;
}

export interface LaunchContext {
	readonly request: AgentRequest;
	/** The attempt's own configuration folder. */
	readonly config: string;
	/** The user's settings are wanted: leave the configuration where it is. */
	readonly userSettings: boolean;
	/** The arguments of pawl.yml: the adapter puts them where they can overrule its own. */
	readonly extra: readonly string[];
	/** The user's variables. */
	readonly user: Variables;
	/** The MCP server that it is to be given. */
	readonly mcp?: McpServerCommand | null;
}

export interface Adapter extends AgentInfo {
	/** Variables of the user's that it needs to log in or to find its server. */
	readonly env: readonly string[];
	/** What holds its login, as files of the user's. */
	credentials(user: Variables): readonly Credential[];
	/** Where in HOME its configuration must be; otherwise a variable says where it is. */
	readonly configAt?: string;
	launch(context: LaunchContext): Launch;
	exitMeans?(code: number, complaint: string): StreamError | null;
	/** A continued session reports what it used from its beginning on. */
	readonly cumulative?: boolean;
	readonly capabilities: Capabilities;
}

/** The rows of the table in docs/agents.md. */
export interface Capabilities {
	readonly "final text": string;
	readonly model: string;
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

/** The first variable that is set or file that is there. */
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

/** Where the user's files are; null without a home. */
export const inHome = (user: Variables, path: string): string => `${user["HOME"] ?? ""}/${path}`;
