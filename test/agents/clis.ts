// The four real CLIs: where they come from, and how a user of pawl points each of them at another model server.
import { delimiter, join } from "node:path";
import type { Tokens } from "./model/turn.ts";

export interface Cli {
	readonly name: string;
	readonly package: string;
	readonly version: string;
	/** For `--model`; null where the configuration says it. */
	readonly model: string | null;
	/** Another model, and both as the server is asked for them. */
	readonly strong: string;
	readonly onWire: (model: string) => string;
	/** It tells the server how much effort to make. */
	readonly tellsEffort: boolean;
	/** What the user has in the environment. */
	env(url: string, home: string): Readonly<Record<string, string>>;
	/** What stands in pawl.yml under `agents`. */
	config(url: string): Readonly<Record<string, unknown>> | null;
	/** Files in the user's home. */
	files(url: string): Readonly<Record<string, string>>;
	/** US dollars for a million tokens, as reported or as in pawl.yml. */
	readonly prices: Tokens;
	/** It says itself what it cost. */
	readonly reportsCost: boolean;
}

const KEY = "stub-key-0123456789";

const claude: Cli = {
	name: "claude",
	package: "@anthropic-ai/claude-code",
	version: "2.1.325",
	model: "claude-sonnet-4-5",
	strong: "claude-opus-4-5",
	onWire: (model) => model,
	tellsEffort: true,
	env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
	config: () => null,
	files: () => ({}),
	// Its own list, built in.
	prices: { input: 3, cached: 0.3, output: 15 },
	reportsCost: true,
};

const codex: Cli = {
	name: "codex",
	package: "@openai/codex",
	version: "0.166.0",
	model: "gpt-5.5",
	strong: "gpt-5.4",
	onWire: (model) => model,
	tellsEffort: true,
	env: () => ({}),
	config: (url) => ({
		args: [
			'model_provider="stub"',
			'model_providers.stub.name="stub"',
			`model_providers.stub.base_url="${url}/v1"`,
			'model_providers.stub.wire_api="responses"',
			'model_providers.stub.env_key="STUB_API_KEY"',
		].flatMap((each) => ["-c", each]),
		env: { STUB_API_KEY: KEY },
		prices: { input: 2, cached: 0.2, output: 8 },
	}),
	files: () => ({}),
	prices: { input: 2, cached: 0.2, output: 8 },
	reportsCost: false,
};

const opencode: Cli = {
	name: "opencode",
	package: "opencode-ai",
	version: "1.18.33",
	model: "stub/stub-model",
	strong: "stub/stub-strong",
	onWire: (model) => model.replace("stub/", ""),
	tellsEffort: true,
	// Without a network it would only wait for the list of models.
	env: (_url, home) => ({
		OPENCODE_CONFIG: join(home, "opencode.json"),
		OPENCODE_DISABLE_MODELS_FETCH: "1",
		OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
	}),
	config: () => null,
	files: (url) => ({
		"opencode.json": JSON.stringify({
			autoupdate: false,
			share: "disabled",
			model: "stub/stub-model",
			small_model: "stub/stub-model",
			provider: {
				stub: {
					npm: "@ai-sdk/openai-compatible",
					name: "Stub",
					options: { baseURL: `${url}/v1`, apiKey: KEY },
					models: {
						"stub-model": {
							name: "Stub",
							cost: { input: 1, output: 10, cache_read: 0.1 },
							limit: { context: 200_000, output: 8000 },
						},
						"stub-strong": {
							name: "Strong",
							reasoning: true,
							cost: { input: 1, output: 10, cache_read: 0.1 },
							limit: { context: 200_000, output: 8000 },
							variants: { high: { reasoningEffort: "high" } },
						},
					},
				},
			},
		}),
	}),
	prices: { input: 1, cached: 0.1, output: 10 },
	reportsCost: true,
};

const gemini: Cli = {
	name: "gemini",
	package: "@google/gemini-cli",
	version: "0.61.0",
	model: "gemini-2.5-flash",
	strong: "gemini-2.5-pro",
	onWire: (model) => model,
	tellsEffort: false,
	env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: KEY }),
	config: () => ({ prices: { input: 0.3, cached: 0.03, output: 2.5 } }),
	files: () => ({}),
	prices: { input: 0.3, cached: 0.03, output: 2.5 },
	reportsCost: false,
};

export const CLIS: readonly Cli[] = [claude, codex, opencode, gemini];

/** Where one CLI is installed: a folder for each version, so that a new one does not disturb what still uses the old. */
export const installedIn = (cache: string, { name, version }: Cli): string => join(cache, `${name}-${version}`);

export const searchPath = (cache: string): string =>
	[...CLIS.map((cli) => join(installedIn(cache, cli), "node_modules", ".bin")), process.env["PATH"] ?? ""].join(delimiter);

/** Those that PAWL_AGENTS names (by commas), or all. */
export function chosenClis(): readonly Cli[] {
	const names = (process.env["PAWL_AGENTS"] ?? "").split(",").filter(Boolean);
	return names.length === 0 ? CLIS : CLIS.filter(({ name }) => names.includes(name));
}
