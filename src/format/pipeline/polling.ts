// Agents that fetch their own steps: the text that tells them how, and the crontab lines that wake them. A crontab
// belongs to its owner: pawl touches only the block between its marks.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isTier } from "../../core/assign/assignment.ts";
import type { Definition } from "../../core/definition.ts";
import { quoteWord } from "../../text/quote-word.ts";
import { pipelineOf } from "./pipeline.ts";

/** The same for every agent and every step: an agent need not know whether a step runs once or once for each story. */
export function pollingPrompt(workflow: string, agent: string, pawl: string): string {
	return `You are the agent \`${agent}\` of the workflow \`${workflow}\`. Look for work, do one piece of it, report, and stop.

1. Run: ${pawl} step claim ${agent}
   It prints one JSON object. With "found": false there is nothing to do: stop here and say nothing more.
2. "persona" says who you are and how you work. Change into the folder that "workspace" names and do what "input" says. Do nothing
   else.
3. Report as "answer" says, with ${pawl} for pawl:
   - when you have finished: give your whole answer, with the lines that the input asks for, to the standard input of
     ${pawl} step complete CLAIM
   - when you cannot: ${pawl} step fail CLAIM "what is in the way"
   "leaseSeconds" says how long the work is kept for you. After that it goes to another.
`;
}

const begin = (workflow: string, root: string): string => `# >>> pawl ${workflow} in ${root}`;
const end = (workflow: string, root: string): string => `# <<< pawl ${workflow} in ${root}`;

export interface Timer {
	readonly root: string;
	/** The command to start; null: Claude Code, with the workflow's model. */
	readonly command: string | null;
	/** How pawl is called from a shell. */
	readonly pawl: string;
	/** Agent → the file that holds its text. */
	readonly prompts: Readonly<Record<string, string>>;
	/** Of the machine that has the crontab. */
	readonly platform: NodeJS.Platform;
}

/** The block of a crontab; one line per agent. */
export function timerLines(definition: Definition, timer: Timer): string[] {
	const schedule = scheduleOf(pipelineOf(definition)?.intervalMs ?? 300_000);
	const lines = Object.entries(timer.prompts).map(([agent, file]) => {
		const command = `${limitOf(definition, agent, timer.platform)}${timer.command ?? `claude -p${modelOf(definition, agent)}`}`;
		// Asked first, so that a session is paid for only when there is work.
		return `${schedule} cd ${quoteWord(timer.root)} && ${timer.pawl} step peek ${quoteWord(agent)} && ${command} < ${quoteWord(file)} >> ${quoteWord(file.replace(/[^/]+$/, "poll.log"))} 2>&1`;
	});
	return [begin(definition.name, timer.root), ...lines.map((line) => line.replaceAll("%", "\\%")), end(definition.name, timer.root)];
}

/** The agent's own model, or else that of polling sessions. Text of a workflow becomes a line of a crontab here, so only plain names are
 * accepted. */
function modelOf(definition: Definition, agent: string): string {
	// The line is for everybody who has this crontab: what a tier stands for is in pawl.yml, and may change.
	const own = [definition.roles[agent]?.model, pipelineOf(definition)?.polling.model];
	const model = own.find((name) => typeof name === "string" && !isTier(name)) ?? null;
	return model !== null && /^[\w][\w.:/@+-]*$/.test(model) ? ` --model ${model}` : "";
}

/** One session looks for work and does it, so it may take the time of both if the workflow limits the first. */
function limitOf(definition: Definition, agent: string, platform: NodeJS.Platform): string {
	const look = pipelineOf(definition)?.polling.timeoutMs ?? null;
	if (look === null) return "";
	const work = Object.values(definition.types).map((type) => (type.role === agent ? type.timeoutMs : 0));
	return `${platform === "darwin" ? `perl -e '${TIMEOUT}'` : "timeout"} ${Math.ceil((look + Math.max(0, ...work)) / 1000)} `;
}

/** What `timeout` does, which macOS does not have: after so many seconds it ends the command with what that started. */
const TIMEOUT = 'setpgrp; alarm shift; $SIG{ALRM} = sub { $SIG{TERM} = "IGNORE"; kill TERM => -$$ }; system { $ARGV[0] } @ARGV';

/** Cron counts in minutes; an interval that it cannot express is rounded up to one that it can. */
export function scheduleOf(ms: number): string {
	const minutes = Math.max(1, Math.ceil(ms / 60_000));
	if (minutes < 60) return minutes === 1 ? "* * * * *" : `*/${minutes} * * * *`;
	const hours = Math.min(23, Math.round(minutes / 60));
	return hours === 1 ? "0 * * * *" : `0 */${hours} * * *`;
}

/** A crontab without pawl's block, or with a new one if lines are given. */
export function withBlock(crontab: string, workflow: string, root: string, lines: readonly string[]): string {
	const kept: string[] = [];
	let inside = false;
	for (const line of crontab.split("\n")) {
		if (line === begin(workflow, root)) inside = true;
		else if (line === end(workflow, root)) inside = false;
		else if (!inside) kept.push(line);
	}
	while (kept.at(-1) === "") kept.pop();
	const all = [...kept, ...lines];
	return all.length === 0 ? "" : `${all.join("\n")}\n`;
}

export async function readCrontab(): Promise<string> {
	// For a user without a crontab, `crontab -l` exits with 1.
	return promisify(execFile)("crontab", ["-l"])
		.then(({ stdout }) => stdout)
		.catch((error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT") throw new Error("there is no program crontab here");
			return "";
		});
}

export function writeCrontab(text: string): Promise<void> {
	return new Promise((done, fail) => {
		const child = execFile("crontab", ["-"], (error) => (error === null ? done() : fail(error)));
		child.stdin?.on("error", () => {});
		child.stdin?.end(text);
	});
}
