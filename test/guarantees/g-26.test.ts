// G-26: pawl's own git runs nothing of an agent's making: the configuration and attributes are those of the run's start. Walked here: every
// process that opens a run uses the settings that were noted when it began, before it calls git for the run. That git then runs
// nothing else needs real git.
import assert from "node:assert/strict";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import type { MemoryRepository } from "../../src/engine/testing/memory-repository.suite.ts";
import { resume } from "../../src/runs/control/resume.ts";
import { UNOBSERVED } from "../../src/runs/drive/observer.ts";
import { claimStep, completeStep } from "../../src/runs/pull/claim.ts";
import { startPulled, startRun } from "../../src/runs/start/start.ts";
import type { Repository, Workspace } from "../../src/workspace.ts";
import { alsoIn } from "./also-in.ts";
import { Application, agentsOf } from "./application.ts";
import type { Driver, Path } from "./paths.ts";
import { type LeftOut, rows } from "./walk.ts";

const NOTED = "as-the-run-began";
/** What a checkout is opened, looked at and changed with. */
const FOR_THE_RUN = /^(claim|reopen|release|close|openBranch|closeBranch|merge|hideOwnWrites|workspace\.)/;

/** The calls of each process, in order. */
class Calls {
	readonly processes: string[][] = [];

	readonly repository = (of: MemoryRepository): Repository => {
		const calls: string[] = [];
		this.processes.push(calls);
		const noted = Object.assign(of, { noteSettings: async () => NOTED });
		return this.noting<Repository>(noted, "", calls, (key, result) =>
			["tree", "claim", "reopen", "openBranch"].includes(key) ? this.workspaceOf(result, calls) : result,
		);
	};

	private workspaceOf(result: unknown, calls: string[]): unknown {
		if (result instanceof Promise) return result.then((of: unknown) => this.workspaceOf(of, calls));
		return result === null ? null : this.noting(result as Workspace, "workspace.", calls, (_, value) => value);
	}

	private noting<T extends object>(of: T, prefix: string, calls: string[], answer: (key: string, result: unknown) => unknown): T {
		return new Proxy(of, {
			get: (target, key) => {
				const value: unknown = Reflect.get(target, key, target);
				if (typeof value !== "function" || typeof key !== "string") return value;
				return (...given: unknown[]) => {
					calls.push(`${prefix}${key}${key === "useSettings" ? ` ${given[0]}` : ""}`);
					return answer(key, Reflect.apply(value, target, given));
				};
			},
		});
	}
}

/** Runs until the account of its agents is empty, then perhaps goes on; or until an agent has come for a step and answered. */
async function drives(app: Application, driver: Driver): Promise<void> {
	const prepared = await app.prepared();
	if (driver !== "pulled") {
		const { run } = await startRun(app.at(), prepared, UNOBSERVED);
		if (driver === "resumed") await resume(app.at(), run, {}, UNOBSERVED);
		return;
	}
	await startPulled(app.at(), prepared);
	for (const agent of agentsOf(prepared.definition)) {
		const claimed = await claimStep(app.at(), { agent, run: undefined, leaseMs: null });
		if (claimed === null) continue;
		await completeStep(app.at(), claimed.claim, async () => "STATUS: done\n");
		return;
	}
	assert.fail("nothing could be claimed");
}

const ofWorkers: LeftOut = (_, driver) =>
	driver === "shared" ? "a worker notes the settings of its own machine when it starts, before it has a run" : null;

const usesThem = async (path: Path, driver: Driver): Promise<null> => {
	const calls = new Calls();
	const broke = { "*": () => fails("out_of_credit", "your credit is used up") };
	const app = await Application.of(path, driver, { repository: calls.repository, cast: broke });
	try {
		await drives(app, driver);
		// Before the settings are noted there is no run.
		const since = calls.processes.map((process) => process.slice(process.indexOf("noteSettings") + 1));
		const worked = since.filter((process) => process.some((call) => FOR_THE_RUN.test(call)));
		assert.ok(worked.length >= (driver === "run" ? 1 : 2), `${worked.length} processes`);
		for (const process of worked) {
			const uses = process.indexOf(`useSettings ${NOTED}`);
			const first = process.findIndex((call) => FOR_THE_RUN.test(call));
			assert.ok(uses >= 0 && uses < first, process.join(", "));
		}
		return null;
	} finally {
		app.remove();
	}
};

rows("G-26 whoever opens a run uses git's settings of its start before it calls git for it", usesThem, ofWorkers);

alsoIn("G-26", "src/workspace/guard/noted-settings.test.ts", "test/scenario/git-settings.test.ts", "test/pipelines/pull.test.ts");
