// The parts of an engine that do not depend on who does the steps.
import type { Config } from "../../config.ts";
import type { RunState } from "../../core/model.ts";
import { startedWith } from "../../core/started-with.ts";
import { systemClock } from "../../engine/clock.ts";
import type { EngineParts } from "../../engine/parts.ts";
import type { Store } from "../../store.ts";
import { detectChecks, withoutPlaceholders } from "../../toolchain/checks.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { forgesOf } from "../forge.ts";
import { keepReceipts } from "../receipt/keep.ts";
import { proofOf } from "../receipt/proof.ts";
import { databaseOf } from "../repository.ts";
import { crashPoint } from "../run-storage.ts";
import { notifier } from "./notify.ts";
import { writtenByRuns } from "./written-files.ts";

export interface DriveSetup {
	readonly repository: Repository;
	readonly config: Config;
	/** Where the store is, if not in its usual folder. */
	readonly database?: string;
}

export function commonParts(
	c: RunsContext,
	{ store, repository, config, database }: DriveSetup & { readonly store: Store },
	state: RunState,
): Omit<EngineParts, "agentsFor"> {
	const { sharedDir, checks, unchecked, push } = startedWith(state);
	const { root } = repository;
	const detected = detectChecks(root);
	const hinted = (name: "lint" | "test"): string | null => (unchecked ? config.checks[name] : undefined) ?? detected[name] ?? null;
	const { env, secrets } = c.services.agentEnv(config, c.env);
	const crash = crashPoint(c);
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
		clock: systemClock(c.now),
		forges: forgesOf(c, config),
		promptAdditions: c.services.promptAdditions,
		sessionEnv: c.services.sessionEnv,
		userFiles: writtenByRuns(c, store),
		keepBrought: c.services.keepBrought,
		proofOf: async (now: RunState) => proofOf(now, await store.events(now.id)),
		// What others will get has its receipts with it; elsewhere `pawl receipt` keeps them.
		...(push ? { keepReceipts: (ended: RunState) => keepReceipts(repository, store, ended, c.now()) } : {}),
		notify: notifier(config, env, root, c.services.notifyAddress(state.definition)),
		...(crash === undefined ? {} : { crashPoint: crash }),
	};
}
