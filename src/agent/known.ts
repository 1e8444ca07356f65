// The command lines of the agents that pawl knows by name: unattended, fresh session, prompt on stdin, output as JSON lines.
// What they print is recognised by itself (stream.ts).

export interface KnownAgent {
	readonly argv: readonly string[];
	/** The flag before the name of a model. */
	readonly modelFlag: string;
	/** Variables of the user's that it needs to log in. */
	readonly env: readonly string[];
	readonly set: Readonly<Record<string, string>>;
}

export const KNOWN_AGENTS: Readonly<Record<string, KnownAgent>> = {
	claude: {
		argv: ["claude", "-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions", "--strict-mcp-config"],
		modelFlag: "--model",
		env: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"],
		// IS_SANDBOX: it refuses to run unattended as root without it.
		set: { IS_SANDBOX: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
	},
	codex: {
		argv: ["codex", "exec", "--json", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "-"],
		modelFlag: "-m",
		env: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME", "CODEX_API_KEY"],
		set: {},
	},
	opencode: {
		argv: ["opencode", "run", "--format", "json", "--title", "step"],
		modelFlag: "-m",
		env: ["OPENCODE_CONFIG", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"],
		set: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
	},
	gemini: {
		argv: ["gemini", "--output-format", "stream-json", "--approval-mode", "yolo"],
		modelFlag: "-m",
		env: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_CLOUD_PROJECT"],
		set: { GEMINI_CLI_NO_RELAUNCH: "true" },
	},
};

/** `-` (stdin) stays the last argument. */
export function argvFor(known: KnownAgent, model: string | null): string[] {
	if (model === null) return [...known.argv];
	const stdin = known.argv.at(-1) === "-" ? ["-"] : [];
	return [...known.argv.slice(0, known.argv.length - stdin.length), known.modelFlag, model, ...stdin];
}
