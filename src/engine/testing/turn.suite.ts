// A session that the cast plays: what it may touch, how often it was played before, and waits that end when it is told to end.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Turn } from "./cast.suite.ts";
import type { Harness } from "./harness.suite.ts";
import type { Life } from "./life.suite.ts";

/** Thrown into the part of an agent that never comes back. */
export class Left extends Error {
	override name = "Left";
}

export type TurnRequest = Pick<Turn, "story" | "step" | "type" | "role" | "attempt" | "prompt" | "session" | "signal"> & {
	readonly env?: Turn["env"];
	readonly cwd: string;
};

export function turnOf(harness: Harness, life: Life, { cwd, signal, env = {}, ...who }: TurnRequest): Turn {
	const key = `${who.story} ${who.type} ${who.role}`;
	const nth = (harness.played.get(key) ?? 0) + 1;
	harness.played.set(key, nth);
	const { story, step, type, role, attempt, prompt, session } = who;
	harness.prompts.push({ story, step, type, role, attempt, prompt, session, at: life.clock.now() });
	const checkout = harness.checkoutAt(cwd);
	// Machines that share a run have folders of their own.
	const sharedDir = env["PAWL_SHARED_DIR"] ?? harness.sharedDir;
	const untilTold = (begin: (done: () => void) => void): Promise<void> =>
		new Promise((done) => {
			if (signal.aborted) return done();
			signal.addEventListener("abort", () => done(), { once: true });
			begin(done);
		});
	return {
		...who,
		env,
		run: harness.run,
		nth,
		files: checkout.files,
		checkout,
		sharedDir,
		signal,
		now: life.clock.now,
		ticks: harness.clock.ticks,
		takes: (ms) => untilTold((done) => void life.clock.after(ms, done)),
		hangs: () => untilTold(() => {}),
		dies: () => {
			life.kill();
			return new Promise(() => {});
		},
		leaves: () => Promise.reject(new Left()),
		edit: (operations) => {
			const folder = join(sharedDir, "workflow_edits");
			mkdirSync(folder, { recursive: true });
			writeFileSync(join(folder, `${story}.json`), typeof operations === "string" ? operations : JSON.stringify(operations));
		},
	};
}
