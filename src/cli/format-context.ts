// The context of a format's command, made from that of every command: the terminal of `src/cli/` and the runs of `src/runs/`. Parts that most
// commands never use are imported on demand.
import type { CommandContext } from "../command.ts";
import { personFor } from "../runs/person.ts";
import { Refusal } from "../runs/refusal.ts";
import { findRepository, makePawlFolder, openRepository } from "../runs/repository.ts";
import type { StartOptions } from "../runs/start/start-options.ts";
import { type Context, EXIT } from "./context.ts";
import { count, duration } from "./flags.ts";
import { document } from "./text/document.ts";
import { fitted } from "./text/fit.ts";
import { clock, oneLine } from "./text/text.ts";

export const contextFor = (c: Context): CommandContext => ({
	...c,
	exit: (code) => c.exit(code === "failed" ? EXIT.failed : code),
	refusal: (message, code = "invalid") => new Refusal(code, message),
	json: document,
	table: (rows, indent) => fitted(rows, c.width, indent),
	oneLine,
	clock,
	parse: { duration, count },
	repository: () => findRepository(c),
	runs: async (root) => (await import("../runs/open.ts")).openReader(c, root),
	run: async (name) => (await import("../runs/open.ts")).lookAt(c, name, ({ state }) => state),
	live: async (root, runs) => {
		const [{ openExisting }, { isLive }] = await Promise.all([import("../runs/open.ts"), import("../runs/hold.ts")]);
		const store = await openExisting(c, root);
		try {
			const live = await Promise.all(runs.map((run) => isLive(store, run)));
			return runs.filter((_, i) => live[i]);
		} finally {
			await store.close();
		}
	},
	person: (run) => void personFor(c, run),
	refuseDirty: async (repository, exclude) => (await import("../runs/start/tree.ts")).refuseDirty(repository, exclude),
	lock: (file) => c.services.lockFile(file),
	makePawlFolder,
	definition: async (name, root) => (await import("../runs/start/definition.ts")).definitionOf(c, name, root),
	hasAgent: async (role) => {
		const { config } = await openRepository(c);
		return config.agent !== null || config.layers.some((layer) => layer.roles?.[role] !== undefined);
	},
	prepareRun: async (workflow, given, flags) => {
		const { prepare } = await import("../runs/start/prepare.ts");
		const prepared = await prepare(c, workflow, given, flags as StartOptions);
		return {
			follow: async () => {
				const [{ follow }, { startRun }] = await Promise.all([import("./run/follow.ts"), import("../runs/start/start.ts")]);
				return follow(c, { json: false, quiet: false }, async (observer) => (await startRun(c, prepared, observer)).ended);
			},
		};
	},
});
