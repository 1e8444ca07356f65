// Calls a forge's own command-line program: short calls, no shell, and the user's own environment, which has the login.
import { hostOf } from "../core/remote/host.ts";
import type { Opened } from "../forge.ts";
import { runProcess } from "../process.ts";

const TIMEOUT_MS = 2 * 60_000;
const KEPT = 64 * 1024;

export interface ProgramAnswer {
	readonly ok: boolean;
	readonly stdout: string;
	/** What it printed beside its answer, also if all went well. */
	readonly stderr: string;
	readonly problem: string;
	/** The program is not installed. */
	readonly missing: boolean;
}

export async function ask(program: string, args: readonly string[], cwd: string, most = KEPT): Promise<ProgramAnswer> {
	const out = { stdout: "", stderr: "" };
	const keep = (name: keyof typeof out) => (chunk: Buffer) => {
		if (out[name].length < most) out[name] += chunk.toString("utf8");
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
		missing: end.reason === "failed_to_start",
		stdout: out.stdout.trim(),
		stderr: out.stderr.trim(),
		problem: ok ? "" : ((out.stderr.trim() || end.error) ?? `${program} ended with ${end.code ?? end.reason}`),
	};
}

/** Whether the program can be used for a host: it is installed, and the user is logged in there. */
export async function loginProblem(program: string, homepage: string, cwd: string, remoteUrl: string): Promise<string | null> {
	const host = hostOf(remoteUrl);
	const named = host === null ? [] : ["--hostname", host];
	const answer = await ask(program, ["auth", "status", ...named], cwd);
	// glab 1.33 says so and exits with 0 all the same; 1.53 exits with 1.
	if (answer.ok && !/\bnot (?:been )?authenticated with\b/.test(answer.stderr)) return null;
	if (answer.missing) return `${program} is not installed: get it from ${homepage}, then log in with ${program} auth login`;
	return `${program} is not logged in${host === null ? "" : ` to ${host}`}: ${[program, "auth", "login", ...named].join(" ")}`;
}

/** What a program that opens something printed: the address, or what went wrong. It may have been there already. */
export function openedBy(program: string, { ok, stdout, problem }: ProgramAnswer): Opened {
	const url = addressIn(ok ? stdout : /already exists/i.test(problem) ? problem : "");
	return url !== null ? { url } : { problem: ok ? `${program} printed no address` : problem };
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
