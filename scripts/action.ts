// The step of action.yml that runs pawl: its inputs come as variables and become arguments, never text for a shell. It shows what happens, and leaves outputs and a summary for the job.
// It exits as pawl does.
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, createWriteStream } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface Finished {
	readonly run: string;
	readonly status: string;
	readonly reason: string | null;
	readonly cost_usd: number | null;
	readonly stories?: Readonly<Record<string, string>>;
	readonly branch?: string | null;
	readonly pull_request?: string | null;
}

const USAGE = 2;
const { env } = process;
const input = (name: string): string => (env[`PAWL_ACTION_${name}`] ?? "").trim();

function refuse(text: string): never {
	console.log(`::error::${escaped(text)}`);
	process.exit(USAGE);
}

/** For a command of the runner, which ends with its line. */
const escaped = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

function isOn(name: string): boolean {
	const said = input(name);
	if (!["", "true", "false"].includes(said)) refuse(`the input ${name.toLowerCase()} is true or false, not ${said}`);
	return said === "true";
}

const value = (name: string, flag: string): string[] => (input(name) === "" ? [] : [`${flag}=${input(name)}`]);

function argumentsOf(): string[] {
	const given = ["REQUEST", "PRD", "ISSUE"].filter((name) => input(name) !== "");
	if (given.length > 1) refuse(`give one of the inputs ${given.join(", ").toLowerCase()}`);
	if (input("WORKFLOW") === "") refuse("the input workflow is empty");
	return [
		"run",
		"--json",
		...value("PRD", "--prd"),
		...value("ISSUE", "--issue"),
		...value("AGENT", "--agent"),
		...value("MODEL", "--model"),
		...value("MAX_COST", "--max-cost"),
		...value("MAX_TIME", "--max-time"),
		...(isOn("PUSH") ? ["--push"] : []),
		...(isOn("PR") ? ["--pr"] : []),
		...input("ARGS")
			.split("\n")
			.map((line) => line.trim())
			.filter((line) => line !== ""),
		// What follows is no option, whatever it begins with.
		"--",
		input("WORKFLOW"),
		...(input("REQUEST") === "" ? [] : [input("REQUEST")]),
	];
}

/** One line for a person. What an agent wrote must not begin a line: the runner would take `::…::` for a command. */
function shown(event: Readonly<Record<string, unknown>>): string {
	const words = ["scope", "step", "attempt", "signal", "status", "reason", "error"].flatMap((key) => {
		const text = event[key];
		return text === undefined || text === null || text === "@run" ? [] : [String(text).split("\n", 1)[0]];
	});
	return `${new Date(Number(event["at"])).toISOString()} ${String(event["event"])} ${words.join(" ")}`.trimEnd();
}

function output(name: string, text: string): void {
	const end = randomUUID();
	if (env["GITHUB_OUTPUT"]) appendFileSync(env["GITHUB_OUTPUT"], `${name}<<${end}\n${text}\n${end}\n`);
}

/** Text that may hold anything, as it is. */
function fenced(text: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
	const fence = "`".repeat(longest + 1);
	return `${fence}text\n${text.trimEnd()}\n${fence}\n`;
}

/** A story's, or without one that of the run's own steps. */
function receiptOf(run: string, story?: string): string {
	const what = story === undefined ? [] : ["--", story];
	try {
		const text = execFileSync("pawl", ["receipt", "--run", run, ...what], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
		return `\n### Receipt of ${story ?? "the run"}\n\n${fenced(text)}`;
	} catch {
		// A run that delivered nothing has none.
		return "";
	}
}

function summaryOf(finished: Finished): string {
	const { run, status, reason, cost_usd, stories = {}, branch, pull_request } = finished;
	const facts = [
		`status: ${status}`,
		...(reason === null ? [] : [`reason: ${reason}`]),
		`cost: ${cost_usd === null ? "unknown" : `$${cost_usd}`}`,
		...(branch ? [`branch: ${branch}`] : []),
		...(pull_request ? [`pull request: ${pull_request}`] : []),
		...Object.entries(stories).map(([id, how]) => `story ${id}: ${how}`),
	];
	const receipts = [...Object.keys(stories).map((story) => receiptOf(run, story)), receiptOf(run)];
	return `## pawl: run ${run}\n\n${fenced(facts.join("\n"))}${receipts.join("")}`;
}

const journal = join(env["RUNNER_TEMP"] ?? ".", `pawl-journal-${randomUUID()}.jsonl`);
const child = spawn("pawl", argumentsOf(), { stdio: ["ignore", "pipe", "pipe"] });
child.on("error", (error) => refuse(`pawl could not be started: ${error.message}`));
// A job that is cancelled: pawl pauses its run, and has it in order when it ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void child.kill(signal));
const kept = createWriteStream(journal);
let finished: Finished | null = null;
for (const stream of [child.stdout, child.stderr])
	createInterface({ input: stream }).on("line", (line) => {
		const event = parsed(line);
		if (event === null) return console.log(`  ${line}`);
		if (event["event"] === "warning") return console.log(`::warning::${escaped(String(event["text"]))}`);
		// On stderr there is a log line for each event, which says the same.
		if (stream === child.stderr) return;
		kept.write(`${line}\n`);
		if (event["event"] === "run_finished") finished = event as unknown as Finished;
		console.log(shown(event));
	});

function parsed(line: string): Record<string, unknown> | null {
	try {
		const data: unknown = JSON.parse(line);
		return typeof data === "object" && data !== null && "event" in data ? (data as Record<string, unknown>) : null;
	} catch {
		return null;
	}
}

child.on("close", (code, signal) => {
	const exit = code ?? 128 + (signal === null ? 1 : constants.signals[signal]);
	output("exit-code", String(exit));
	output("journal", journal);
	if (finished !== null) {
		output("run", finished.run);
		output("status", finished.status);
		output("branch", finished.branch ?? "");
		output("cost", finished.cost_usd === null ? "" : String(finished.cost_usd));
		output("pull-request", finished.pull_request ?? "");
		if (env["GITHUB_STEP_SUMMARY"]) appendFileSync(env["GITHUB_STEP_SUMMARY"], `${summaryOf(finished)}\n`);
	}
	process.exitCode = exit;
});
