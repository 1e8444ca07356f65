// What this machine has: programs in PATH with their versions, and the size of a folder.
import { execFile } from "node:child_process";
import { accessSync, constants, lstatSync, readdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { AgentInfo } from "../../agent.ts";

/** A program that does not answer in time is still there, only without a version. */
const ANSWER_MS = 10_000;

export interface Program {
	readonly name: string;
	readonly path: string | null;
	readonly version: string | null;
}

export async function findProgram(name: string, env: NodeJS.ProcessEnv): Promise<Program> {
	const path = inPath(name, env["PATH"] ?? "");
	return { name, path, version: path === null ? null : await versionOf(path, env) };
}

export interface FoundAgent extends Program {
	readonly tested: string;
	/** The sign of a login; null if there is none. */
	readonly loggedIn: string | null;
	/** What to do about missing or different parts. pawl tries anyway. */
	readonly hints: readonly string[];
}

export async function findAgent(info: AgentInfo, env: NodeJS.ProcessEnv): Promise<FoundAgent> {
	const { tested } = info;
	const program = { ...(await findProgram(info.program, env)), name: info.name };
	const loggedIn = info.loggedIn(env);
	if (program.path === null) return { ...program, tested, loggedIn, hints: [`to install it: ${info.install}`] };
	const other = program.version === null || program.version === tested ? null : atLeast(program.version, tested) ? "newer" : "older";
	return {
		...program,
		tested,
		loggedIn,
		hints: [
			...(other === null ? [] : [`${program.version} is ${other} than ${tested}, which pawl was tested with`]),
			...(loggedIn === null ? [`nothing says that you are logged in; ${info.login}`] : []),
		],
	};
}

export function inPath(name: string, path: string): string | null {
	for (const folder of path.split(delimiter)) {
		if (folder === "") continue;
		const file = join(folder, name);
		try {
			accessSync(file, constants.X_OK);
			if (statSync(file).isFile()) return file;
		} catch {
			// The next folder may have it.
		}
	}
	return null;
}

function versionOf(path: string, env: NodeJS.ProcessEnv): Promise<string | null> {
	return new Promise((resolve) => {
		const child = execFile(path, ["--version"], { timeout: ANSWER_MS, killSignal: "SIGKILL", maxBuffer: 64 * 1024, env }, (error, stdout) =>
			resolve(error === null ? (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.split("\n")[0]?.trim() ?? null) : null),
		);
		child.stdin?.end();
	});
}

/** Bytes of all files below, without following links; unreadable files count as 0. */
export function sizeOf(folder: string): number {
	let bytes = 0;
	const open = [folder];
	for (let path = open.pop(); path !== undefined; path = open.pop()) {
		try {
			const stat = lstatSync(path);
			bytes += stat.size;
			if (stat.isDirectory()) for (const name of readdirSync(path)) open.push(join(path, name));
		} catch {
			// It went away while we looked.
		}
	}
	return bytes;
}

/** Whether a version such as 2.39.5 is at least one such as 2.38. */
export function atLeast(version: string, wanted: string): boolean {
	const [a, b] = [version, wanted].map((v) => v.split(".").map(Number));
	for (const [i, n] of (b ?? []).entries()) if ((a?.[i] ?? 0) !== n) return (a?.[i] ?? 0) > n;
	return true;
}
