// The entry point of the library, what a program gets that imports `runs` of pawl. Nothing happens when it is loaded.
import { resolve } from "node:path";
import type { Refusal as PublishedRefusal, Runs, Settings } from "./library/api.ts";
import { runsOf } from "./library/runs.ts";
import { packagePath } from "./package-root.ts";
import type { RunsContext } from "./runs/context.ts";
import { Refusal } from "./runs/refusal.ts";
import { services } from "./wiring.ts";

// As bin/pawl starts Node. What this program gives its own Node is not for an engine.
const SELF = [process.execPath, "--max-semi-space-size=2", "--v8-pool-size=1", packagePath("bin", "start.cjs")];

function contextOf(folder = ".", { env = process.env, db, warn }: Settings = {}): RunsContext {
	// It has a password in it: nothing that is started here gets it.
	const { PAWL_DB: _, ...rest } = env;
	return {
		cwd: resolve(folder),
		env: rest,
		...(db === undefined ? {} : { db }),
		services,
		now: Date.now,
		warn: warn ?? ((text) => process.emitWarning(text, "PawlWarning")),
		how: "library",
		self: SELF,
	};
}

export const runs: Runs = runsOf(contextOf);
export { Refusal };

type Published<T extends PublishedRefusal> = T;
/** Does not compile while the published class differs from this one. */
export type AsPublished = Published<Refusal>;
