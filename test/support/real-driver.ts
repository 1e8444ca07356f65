// One run with real git and real processes, by each way of driving it: `pawl run`, `pawl resume` after kill -9, and agents that come for
// their steps. The same fake agent plays the sessions each time, so that a test can say the same about all three.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import type { FakeAgent } from "./fake-agent.ts";
import { type Ended, exited, kill9, pawl, startPawl, type Where } from "./pawl.ts";
import { exists, until } from "./scratch.ts";

export type RealDriver = "run" | "resumed" | "pulled";

export interface RealRun extends Where {
	readonly agent: FakeAgent;
	/** Of `pawl run` or `pawl workflow run`: the workflow, its input, and flags that both know. */
	readonly start: readonly string[];
	/** The roles of the workflow, in the order in which they are asked whether there is a step for them. */
	readonly roles: readonly string[];
	/** The agent makes this flag where it hangs until it is killed, or until the test has made the flag `go`. */
	readonly at: string;
	/** What happens at that moment: while the session hangs, or after pawl was killed. */
	meanwhile?(): void | Promise<void>;
	/** The run is there already: `pawl resume` takes the place of the start. */
	readonly begun?: boolean;
}

/** All that was printed, and how the last process ended. */
export interface RealEnd {
	readonly said: string;
	readonly code: number | null;
}

/** Until the run is over, waits for a person, or has no step for anybody. */
export async function driveReal(driver: RealDriver, run: RealRun): Promise<RealEnd> {
	if (driver === "pulled") return pullReal(run, run.begun ? "" : exited(await pawl(["workflow", "run", ...run.start], run), 0).all);
	const started = startPawl(run.begun ? ["resume"] : ["run", ...run.start, "--agent-command", run.agent.command], run);
	await until(`the agent is at ${run.at}`, () => {
		if (started.child.exitCode !== null) throw new Error(`pawl ended before the agent was at ${run.at}:\n${started.said()}`);
		return exists(run.agent.flag(run.at));
	});
	if (driver === "run") {
		await run.meanwhile?.();
		mkdirSync(run.agent.flag("go"));
		const ended = await started.done;
		return { said: ended.all, code: ended.code };
	}
	await kill9(started);
	await run.meanwhile?.();
	mkdirSync(run.agent.flag("go"));
	const ended = await pawl(["resume"], run);
	return { said: started.said() + ended.all, code: ended.code };
}

interface Claimed {
	readonly found: boolean;
	readonly claim: string;
	readonly stepId: string;
	readonly agent: string;
	readonly input: string;
	readonly workspace: string;
}

/** Agents that come for the steps of a run, one at a time. */
export async function pullReal(run: RealRun, before = ""): Promise<RealEnd> {
	let said = before;
	let code: number | null = 0;
	for (let idle = 0, turn = 0; idle < run.roles.length; ) {
		const asked = exited(await pawl(["step", "claim", run.roles[turn % run.roles.length] ?? ""], run), 0);
		said += asked.stderr;
		const claimed = JSON.parse(asked.stdout) as Claimed;
		if (!claimed.found) {
			idle++;
			turn++;
			continue;
		}
		idle = 0;
		const session = playing(run, claimed);
		await until("the session ends or hangs", () => session.over() || exists(run.agent.flag(run.at)));
		if (exists(run.agent.flag(run.at)) && !exists(run.agent.flag("go"))) {
			await run.meanwhile?.();
			mkdirSync(run.agent.flag("go"));
		}
		const { stdout, exitCode } = await session.done;
		const handed =
			exitCode === 0
				? await complete(run, claimed.claim, stdout)
				: await pawl(["step", "fail", claimed.claim, `it exited ${exitCode}`], run);
		said += handed.all;
		code = handed.code;
		if (!/"status":"running"/.test(handed.stdout)) break;
		// After a step that went well it is usually another's turn.
		if (code === 0 && exitCode === 0) turn++;
	}
	return { said, code };
}

/** Tells the script what pawl would tell it, as far as the claim says it. */
function playing(run: RealRun, { stepId, agent, input, workspace }: Claimed) {
	const [, story = "", step = ""] = stepId.split(":");
	const [, type = ""] = /^Type: (\w+)$/m.exec(input) ?? [];
	const child = spawn(run.agent.command, [], {
		cwd: workspace,
		env: {
			...process.env,
			...run.env,
			PAWL_STEP_TYPE: type,
			PAWL_STEP_ID: step,
			PAWL_STORY_ID: story === "@run" ? "" : story,
			PAWL_ROLE: agent,
		},
		stdio: ["pipe", "pipe", "inherit"],
	});
	child.stdin.end(input);
	const chunks: Buffer[] = [];
	child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
	let over = false;
	const done = new Promise<{ readonly stdout: string; readonly exitCode: number | null }>((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (exitCode) => {
			over = true;
			resolve({ stdout: Buffer.concat(chunks).toString("utf8"), exitCode });
		});
	});
	return { done, over: () => over };
}

/** `pawl step complete`, with the answer on its standard input. */
export const complete = (run: Where, claim: string, text: string): Promise<Ended> => pawl(["step", "complete", claim], run, text);
