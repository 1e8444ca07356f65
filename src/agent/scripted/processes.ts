// The two actions that start processes: `run` and `commit`. Their output goes to the log, and none of them outlives the call.
import { StringDecoder } from "node:string_decoder";
import { redactor, runProcess } from "../../process.ts";
import type { Session } from "./session.ts";

/** Returns why it failed, or null. */
export async function runCommand([command = "", ...args]: readonly string[], session: Session): Promise<string | null> {
	const end = await start(command, args, session.request.env, session);
	return end.problem ?? (end.code === 0 ? null : `${command} ended with exit code ${end.code}`);
}

const QUIETLY = ["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"];

const IDENTITY = {
	GIT_AUTHOR_NAME: "pawl",
	GIT_AUTHOR_EMAIL: "pawl@localhost",
	GIT_COMMITTER_NAME: "pawl",
	GIT_COMMITTER_EMAIL: "pawl@localhost",
};

/** Commits everything in the workspace. Having nothing to commit is not a failure: an agent would notice and continue. */
export async function commitAll(message: string, session: Session): Promise<string | null> {
	const { request, log } = session;
	await log({ type: "action", action: "commit", message });
	const own = Object.entries(request.env).filter(
		([name]) => !name.startsWith("GIT_") || /^GIT_((AUTHOR|COMMITTER|TRACE2)_|CONFIG_PARAMETERS$)/.test(name),
	);
	const env = { ...Object.fromEntries(own), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };
	const git = (args: readonly string[], more = {}) => start("git", [...QUIETLY, ...args], { ...env, ...more }, session);

	const added = await git(["add", "--all"]);
	if (added.problem !== null || added.code !== 0) return added.problem ?? added.tail.trim();
	const args = ["commit", "--quiet", `--message=${message}`];
	let made = await git(args);
	// Uses the machine's identity if there is one; a demo must also run on a machine without.
	if (made.code === 128 && /tell me who you are/i.test(made.tail)) made = await git(args, IDENTITY);
	return made.problem ?? (made.code === 0 || made.code === 1 ? null : made.tail.trim());
}

interface End {
	readonly code: number | null;
	/** Why there is no exit code. */
	readonly problem: string | null;
	/** The last part of its output. */
	readonly tail: string;
}

async function start(command: string, args: readonly string[], env: Readonly<Record<string, string>>, session: Session): Promise<End> {
	const { request, watch } = session;
	let tail = "";
	const write = (stream: string) => async (text: string) => {
		tail = `${tail}${text}\n`.slice(-2000);
		await session.log({ type: "text", stream, text });
	};
	const stdout = byLine(request.secrets, write("stdout"));
	const stderr = byLine(request.secrets, write("stderr"));
	const end = await runProcess({
		command,
		args,
		cwd: request.cwd,
		env,
		mark: request.mark,
		...(request.sandbox === undefined ? {} : { sandbox: request.sandbox }),
		signal: watch.signal,
		onStdout: stdout.push,
		onStderr: stderr.push,
	});
	await stdout.flush();
	await stderr.flush();
	if (end.reason === "aborted") return { code: null, problem: "interrupted", tail };
	if (end.error !== null) return { code: null, problem: end.error, tail };
	return { code: end.code, problem: end.signal === null ? null : `${command} was ended by ${end.signal}`, tail };
}

// An endless line is cut into pieces rather than kept in memory.
const LONGEST_LINE = 64 * 1024;

function byLine(secrets: readonly string[], write: (line: string) => Promise<void>) {
	const clean = redactor(secrets);
	const decoder = new StringDecoder("utf8");
	let rest = "";
	const take = async (bytes: Buffer): Promise<void> => {
		const lines = (rest + decoder.write(bytes)).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) await write(line);
		for (; rest.length > LONGEST_LINE; rest = rest.slice(LONGEST_LINE)) await write(rest.slice(0, LONGEST_LINE));
	};
	// Chunks are written in order, and the process may be over before the last one is.
	let work = Promise.resolve();
	return {
		push: (chunk: Buffer): Promise<void> => {
			work = work.then(() => take(clean.push(chunk)));
			return work;
		},
		flush: async (): Promise<void> => {
			await work;
			await take(clean.flush());
			rest += decoder.end();
			if (rest !== "") await write(rest);
		},
	};
}
