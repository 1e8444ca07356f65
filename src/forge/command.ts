// Calls a forge's own command-line program: short calls, no shell, and the user's own environment, which has the login.
import { runProcess } from "../process.ts";

const TIMEOUT_MS = 2 * 60_000;
const KEPT = 64 * 1024;

export interface ProgramAnswer {
	readonly ok: boolean;
	readonly stdout: string;
	readonly problem: string;
}

export async function ask(program: string, args: readonly string[], cwd: string): Promise<ProgramAnswer> {
	const out = { stdout: "", stderr: "" };
	const keep = (name: keyof typeof out) => (chunk: Buffer) => {
		if (out[name].length < KEPT) out[name] += chunk.toString("utf8");
	};
	const env: Record<string, string> = { ...definedIn(process.env), GH_PROMPT_DISABLED: "1", NO_COLOR: "1" };
	const end = await runProcess({
		command: program,
		args,
		cwd,
		env,
		timeoutMs: TIMEOUT_MS,
		isolate: false,
		onStdout: keep("stdout"),
		onStderr: keep("stderr"),
	});
	const ok = end.reason === "exit" && end.code === 0;
	return {
		ok,
		stdout: out.stdout.trim(),
		problem: ok ? "" : ((out.stderr.trim() || end.error) ?? `${program} ended with ${end.code ?? end.reason}`),
	};
}

const definedIn = (env: NodeJS.ProcessEnv): Record<string, string> =>
	Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));

/** The last address in what a program printed. */
export const addressIn = (text: string): string | null =>
	text
		.match(/https?:\/\/\S+/g)
		?.at(-1)
		?.slice(0, LONGEST_ADDRESS)
		.replace(/[).,]+$/, "") ?? null;

const LONGEST_ADDRESS = 2000;

/** The address of the entry with this title in a JSON list that a program printed. */
export function addressOf(json: string, title: string, key: string): string | null {
	try {
		const list: unknown = JSON.parse(json);
		const found = Array.isArray(list) ? list.find((one: Readonly<Record<string, unknown>>) => one?.["title"] === title) : undefined;
		return typeof found?.[key] === "string" ? found[key] : null;
	} catch {
		return null;
	}
}
