// What a dashboard costs: a run of a hundred steps with fifty open streams beside it and without any, in alternating pairs and by what is counted; and what
// a server does while nothing happens in a run that is not finished.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Counts, countRun } from "./count.ts";
import { type Beside, stepTimes, withSteps } from "./steps.ts";
import { type Figure, mean, median, PAWL, repository, scratch } from "./support.ts";

const STEPS = 100;
const STREAMS = 50;
const PAIRS = 5;
const IDLE_MS = 20_000;

export async function streamFigures(): Promise<Figure[]> {
	const ratios: number[] = [];
	for (let pair = 0; pair < PAIRS; pair++) {
		const alone = mean(await stepTimes(STEPS));
		const watched = mean(await stepTimes(STEPS, openStreams));
		ratios.push(watched / alone);
	}
	const [alone, watched] = [await counted(async () => async () => {}), await counted(openStreams)];
	const idle = await idleShare();
	return [
		{
			name: `a step with ${STREAMS} open streams / without`,
			value: `${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(", ")})`,
			aim: "≤ 1.1",
			met: median(ratios) <= 1.1,
		},
		{
			name: `commits, fsyncs, git processes of a step with ${STREAMS} open streams`,
			value: `${watched.join(", ")} (without: ${alone.join(", ")})`,
			aim: "no more than without",
			met: watched.every((count, i) => Number(count) <= Number(alone[i]) || count === alone[i]),
		},
		{
			name: "an idle server with one stream and an unfinished run, of one core",
			value: `${(100 * idle).toFixed(2)} %`,
			aim: "≤ 1 %",
			met: idle <= 0.01,
		},
	];
}

/** A step's share of what a run does; what strace would have counted is "–" without it. */
async function counted(beside: Beside): Promise<string[]> {
	const { commits, fsyncs, git }: Counts = await withSteps(STEPS, beside, (cwd, args) => countRun(PAWL, args, cwd));
	return [commits, fsyncs, git].map((count) => (count === null ? "–" : (count / STEPS).toFixed(1)));
}

async function openStreams(cwd: string): Promise<() => Promise<void>> {
	const server = await openServer(cwd);
	const streams = await Promise.all(Array.from({ length: STREAMS }, () => openStream(server)));
	return async () => {
		for (const close of streams) close();
		await server.close();
	};
}

interface Server {
	readonly port: number;
	readonly token: string;
	readonly pid: number;
	close(): Promise<void>;
}

async function openServer(cwd: string): Promise<Server> {
	const child = spawn(PAWL, ["ui", "--no-open", "--json"], { cwd, stdio: ["ignore", "pipe", "ignore"] });
	const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	const line = await new Promise<string>((resolve, reject) => {
		child.stdout.once("data", (bytes: Buffer) => resolve(bytes.toString()));
		child.once("error", reject);
	});
	const { port, token } = JSON.parse(line) as { port: number; token: string };
	return {
		port,
		token,
		pid: child.pid ?? 0,
		close: async () => {
			child.kill("SIGTERM");
			await ended;
		},
	};
}

function openStream({ port, token }: Server): Promise<() => void> {
	return new Promise((resolve, reject) => {
		const asked = get(
			{ host: "127.0.0.1", port, path: "/api/v1/stream", agent: false, headers: { Authorization: `Bearer ${token}` } },
			(answer) => {
				answer.resume();
				answer.on("error", () => {});
				resolve(() => asked.destroy());
			},
		);
		asked.on("error", reject);
	});
}

/** Of one core, while nothing happens. */
async function idleShare(): Promise<number> {
	const { path, remove } = scratch();
	try {
		repository(path);
		const run = spawn(PAWL, ["run", "dynamic", "nothing", "--agent-command", "sleep 600"], { cwd: path, stdio: "ignore" });
		const server = await openServer(path);
		const close = await openStream(server);
		await sleep(3000);
		const before = cpuMs(server.pid);
		await sleep(IDLE_MS);
		const used = cpuMs(server.pid) - before;
		close();
		await server.close();
		const ended = new Promise((resolve) => run.once("exit", resolve));
		run.kill("SIGTERM");
		await ended;
		return used / IDLE_MS;
	} finally {
		remove();
	}
}

/** User and system time; Linux counts in hundredths of a second. */
function cpuMs(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
		.replace(/^.*\) /s, "")
		.split(" ");
	return 10 * (Number(fields[11]) + Number(fields[12]));
}
