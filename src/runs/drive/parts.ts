// The parts of an engine that do not depend on who does the steps.
import type { Config } from "../../config.ts";
import type { RunState } from "../../core/model.ts";
import type { SandboxSettings } from "../../core/sandbox/sandbox.ts";
import { startedWith } from "../../core/started-with.ts";
import { realProcesses } from "../../engine/attempt/checks.ts";
import { systemClock } from "../../engine/clock.ts";
import type { EngineParts } from "../../engine/parts.ts";
import { sweepSandbox } from "../../process.ts";
import type { Store } from "../../store.ts";
import { detectChecks, withoutPlaceholders } from "../../toolchain/checks.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { forgesOf } from "../forge.ts";
import { keepReceipts } from "../receipt/keep.ts";
import { proofOf } from "../receipt/proof.ts";
import { databaseOf } from "../repository.ts";
import { crashPoint } from "../run-storage.ts";
import { confinedSetup, confiner, refuseNoSandbox } from "../sandbox.ts";
import { notifier } from "./notify.ts";
import { writtenByRuns } from "./written-files.ts";

export interface DriveSetup {
	readonly repository: Repository;
	readonly config: Config;
	/** Where the store is, if not in its usual folder. */
	readonly database?: string;
	/** Where the run's files are, if not where it was started. */
	readonly sharedDir?: string;
	/** What to run in, if the run was started without a sandbox. */
	readonly sandbox?: SandboxSettings | null;
}

export async function commonParts(
	c: RunsContext,
	setup: DriveSetup & { readonly store: Store },
	state: RunState,
): Promise<Omit<EngineParts, "agentsFor">> {
	const { store, repository, config, database } = setup;
	const started = startedWith(state);
	const { checks, unchecked, push } = started;
	const { sharedDir = started.sharedDir } = setup;
	const sandbox = started.sandbox ?? setup.sandbox ?? null;
	const { root } = repository;
	const detected = detectChecks(root);
	const hinted = (name: "lint" | "test"): string | null => (unchecked ? config.checks[name] : undefined) ?? detected[name] ?? null;
	const { env, secrets } = c.services.agentEnv(config, c.env);
	const crash = crashPoint(c);
	const confined = sandbox === null ? {} : await sandboxParts(c, setup, state.id, sharedDir, sandbox);
	const asked = c.services.notifyAddress(state.definition);
	return {
		sharedDir,
		database: database ?? databaseOf(root),
		repository,
		actions: c.services.actions,
		evidence: c.services.evidence,
		keepers: c.services.keepers,
		writeRules: c.services.writeRules,
		controlFiles: c.services.controlFiles,
		projections: c.services.projections(sharedDir, root),
		checks: Object.fromEntries(Object.entries(checks).map(([name, command]) => [name, withoutPlaceholders(command)])),
		// What the run was started with runs, so agents are told that, whatever pawl.yml says by now.
		hints: { lint: checks["lint"] ?? hinted("lint"), test: checks["test"] ?? hinted("test") },
		env,
		secrets,
		logMax: config.logs.maxBytes,
		stallMs: null,
		isolate: true,
		...confined,
		clock: systemClock(c.now),
		forges: forgesOf(c, config),
		promptAdditions: c.services.promptAdditions,
		sessionEnv: c.services.sessionEnv,
		userFiles: writtenByRuns(c, store),
		keepBrought: c.services.keepBrought,
		proofOf: async (now: RunState) => proofOf(now, await store.events(now.id)),
		// What others will get has its receipts with it; elsewhere `pawl receipt` keeps them.
		...(push ? { keepReceipts: (ended: RunState) => keepReceipts(repository, store, ended, c.now()) } : {}),
		notify: notifier(config, { env, repository: root, asked, confine: confined.confine }),
		...(crash === undefined ? {} : { crashPoint: crash }),
	};
}

async function sandboxParts(
	c: RunsContext,
	{ repository, config, database }: DriveSetup,
	run: string,
	sharedDir: string,
	sandbox: SandboxSettings,
): Promise<Pick<EngineParts, "confine" | "processes">> {
	await refuseNoSandbox(c, sandbox);
	const confine = confiner(c, sandbox, { repository, config, sharedDir, database: database ?? databaseOf(repository.root) });
	repository.confineSetup(run, confinedSetup(c, config, confine));
	if (sandbox.type === "bwrap") return { confine };
	const sweep = async (mark: string): Promise<unknown> => {
		await sweepSandbox(sandbox, mark);
		return realProcesses.sweep(mark);
	};
	return { confine, processes: { ...realProcesses, sweep } };
}
