// The pawl.yml that `pawl init` writes: what was found, and everything else as comments to uncomment. The caller writes it
// with the flag `wx`: an existing file is never overwritten.

export interface InitialConfig {
	/** null: the default stays a comment. */
	readonly agent: string | null;
	readonly lint: string | null;
	readonly test: string | null;
	readonly setup: string | null;
	/** The files that the commands were found in; empty if a person typed them. */
	readonly from: { readonly checks: string; readonly setup: string };
}

/** `schema`: where the schema of pawl.yml is, from the root of the repository. */
export function renderInitialConfig({ agent, lint, test, setup, from }: InitialConfig, schema: string): string {
	const checks = Object.entries({ lint, test }).flatMap(([kind, command]) =>
		command === null ? [] : [`  ${kind}: ${JSON.stringify(command)}`],
	);
	const found =
		checks.length > 0
			? [...(from.checks === "" ? [] : [`# Found in ${from.checks}.`]), "checks:", ...checks]
			: ["# checks:", '#   lint: "npm run lint"', '#   test: "npm test"'];
	const guessed = from.setup === "" ? "" : `# Guessed from ${from.setup}.\n`;
	const prepare = setup === null ? '# setup: "npm ci"' : `${guessed}setup: ${JSON.stringify(setup)}`;
	return `# yaml-language-server: $schema=${schema}
# How pawl works in this repository. Every key is optional.

# Commands that pawl runs itself: their exit code is the evidence, not an agent's word.
# A part such as <test_path> is for agents; pawl leaves it out when it runs the command.
${found.join("\n")}

# The agent that does the steps: claude, codex, opencode, gemini, or a name from \`agents\`. Flag: --agent
${agent === null ? "# agent: claude" : `agent: ${agent}`}

# Agents of your own, or more about those that pawl knows. Prices are US dollars for a million tokens, for agents that report
# no cost; limits are those of one attempt; \`settings: user\` lets an agent use your own settings, MCP servers and memory files.
# agents:
#   local:
#     type: command
#     command: "./bin/agent.sh"
#     args: ["--quiet"]
#     env: { MODE: "batch" }
#     model: small
#     tiers: { fast: small, standard: medium, strong: large }
#     prices: { input: 0.5, output: 2, cached: 0.05 }
#     limits: { turns: 40, cost: $2 }
#   claude: { settings: user }

# Another agent, model or effort for a step type or a role of a workflow. Flags: --agent, --model, --effort. \`pawl models\` shows who does what.
# steps:
#   coding: { model: strong, effort: high }
# roles:
#   reviewer: { agent: codex, model: large }

# Who stands in, in this order, while an agent is at a usage limit. Flag: --fallback
# fallback: [codex]

# The branch that stories start from and are merged into (flag: --base), and how many run at a time (flag: --agents).
# base: main
# parallel: 2

# Makes a fresh worktree usable: a command, files to copy, files and folders to link. No flag: it belongs to the repository.
${prepare}
# copy: [".env"]
# link: ["node_modules"]

# Where a run stops (flags: --max-cost, --max-time), and how long one step may take (flag: --timeout).
# limits:
#   cost: $10
#   time: 4h
# timeouts:
#   coding: 45m

# Who is told when a person is needed or a run ends. No flag: it belongs to the repository.
# notify:
#   command: "notify-send pawl"
#   webhook: "https://example.com/hook"

# Environment variables that agents get besides PATH, HOME, LANG, TERM and TMPDIR. Only names; values stay out of this file.
# env: [ANTHROPIC_API_KEY]

# What agents, checks and setup run in: none, bwrap (Linux, needs bubblewrap) or container. Flag: --sandbox
# sandbox: bwrap

# Whether a run may push and open a pull request. Flag: --push
# push: false

# Whether pawl may comment on the issues that a run works on. Flag: --comment
# comment: false

# Which program reaches the forge, where the host of the remote does not say: gh or glab. No flag: it belongs to the repository.
# forge: glab

`;
}
