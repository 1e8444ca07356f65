// G-02: a red or unusable base is found before the first session: setup and checks run once on base, in the kind of place where the work
// will happen. How a fresh worktree is made ready needs real git: `real-rows.ts` shows it for each driver.
import assert from "node:assert/strict";
import { fold } from "../../src/core/fold/apply.ts";
import type { Turn } from "../../src/engine/testing/cast.suite.ts";
import { UNOBSERVED } from "../../src/runs/drive/observer.ts";
import { Refusal } from "../../src/runs/refusal.ts";
import { startPulled, startRun } from "../../src/runs/start/start.ts";
import { WorkspaceError } from "../../src/workspace.ts";
import { alsoIn } from "./also-in.ts";
import { Application, type ApplicationOptions } from "./application.ts";
import type { Driver, Path } from "./paths.ts";
import { type LeftOut, rows, walk } from "./walk.ts";

const RED = "test: `npm test` exited 1\nexpected-one-got-two-6612";

walk("G-02 a check that was red before the run began: whoever works is told which, and what it printed", ({ path, isWriter }) => {
	const told = path.told ?? ((turn: Turn) => turn.prompt);
	let sessions = 0;
	return {
		options: { input: { ...path.options.input, baseline: RED } },
		play: (turn, usual) => {
			if (isWriter(turn)) {
				sessions++;
				for (const line of RED.split("\n")) assert.ok(told(turn).includes(line), `${turn.type} is not told: ${line}`);
			}
			return usual();
		},
		holds: (_, state) => {
			assert.ok(sessions > 0);
			assert.equal(state.status, "completed", state.reason ?? "");
		},
	};
});

const resumes: LeftOut = (_, driver) => (driver === "resumed" ? "a resumed run was tried when it started" : null);

const CHECKS = { test: "npm test" };
const unusable = ({ workspace }: Path): ApplicationOptions =>
	workspace === "tree"
		? { checks: CHECKS, runCheck: () => ({ exitCode: 127, output: "npm: not found" }) }
		: {
				checks: CHECKS,
				repository: (of) =>
					Object.assign(of, { fresh: () => Promise.reject(new WorkspaceError("setup failed (exit code 1): npm: not found")) }),
			};
const red = (path: Path): ApplicationOptions => ({
	checks: CHECKS,
	runCheck: () => ({ exitCode: 1, output: "expected-one-got-two-6612" }),
	cast: { ...path.options.cast, "*": () => assert.fail("a session began") },
});

async function begins(app: Application, how: Driver): Promise<void> {
	const prepared = await app.prepared();
	if (how === "pulled") return void (await startPulled(app.at(), prepared));
	// The run is created; what its sessions do is not looked at.
	const created = new Error("created");
	const stop = { ...UNOBSERVED, onCreated: () => assert.fail(created) };
	await assert.rejects(startRun(app.at(), prepared, stop), (error) => {
		if (error !== created) throw error;
		return true;
	});
}

const refuses = async (path: Path, driver: Driver): Promise<null> => {
	const app = await Application.of(path, driver, unusable(path));
	try {
		await assert.rejects(begins(app, driver), (error) => {
			assert.ok(error instanceof Refusal, String(error));
			assert.match(error.message, /npm: not found.*`setup`, `link`, `copy`/s);
			return error.code === "invalid";
		});
		assert.deepEqual(await app.h.store.open(app.h.clock.now).runs(), []);
		assert.deepEqual(app.h.prompts, []);
		return null;
	} finally {
		app.remove();
	}
};

rows(
	"G-02 a place in which nothing can be checked: refused before anything begins, with what was printed and what to set",
	refuses,
	resumes,
);

const says = async (path: Path, driver: Driver): Promise<null> => {
	const app = await Application.of(path, driver, red(path));
	try {
		await begins(app, driver);
		const store = app.h.store.open(app.h.clock.now);
		const [run] = await store.runs();
		const state = fold(await store.events(run?.id ?? ""));
		assert.match(state?.input["baseline"] ?? "", /test: `npm test` exited 1\nexpected-one-got-two-6612/);
		assert.match(app.said.join("\n"), /already fail on .*expected-one-got-two-6612/s);
		return null;
	} finally {
		app.remove();
	}
};

rows("G-02 a check that is red on base, too: said before the first session, and kept for those who work", says, resumes);

alsoIn("G-02", "test/scenario/checks.test.ts", "src/workspace/slot/fresh.test.ts");
