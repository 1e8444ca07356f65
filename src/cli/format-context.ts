// The context of a format's command, made from that of every command: the terminal of `src/cli/` and the runs of `src/runs/`. Parts that most
// commands never use are imported on demand.
import { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { personFor } from "../runs/person.ts";
import { Refusal } from "../runs/refusal.ts";
import { findRepository, makePawlFolder, openRepository } from "../runs/repository.ts";
import type { StartOptions } from "../runs/start/start-options.ts";
import { type Context, EXIT } from "./context.ts";
import { count, duration } from "./flags.ts";
import { canAsk } from "./run/ask.ts";
import { addRunOptions, type RunFlags, startOptions } from "./run/run-options.ts";
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
	prepareRun: async (workflow, given, flags, { dry = false } = {}) => {
		const { prepare } = await import("../runs/start/prepare.ts");
		const prepared = await prepare(c, workflow, given, flags as StartOptions, { dry });
		return {
			follow: async ({ json = false, quiet = false, apart = false } = {}) => {
				const [{ follow }, { startRun }] = await Promise.all([import("./run/follow.ts"), import("../runs/start/start.ts")]);
				let run = "";
				const exit = await follow(apart ? { ...c, out: c.err } : c, { json, quiet }, async (observer) => {
					const started = await startRun(c, prepared, observer);
					run = started.run;
					return started.ended;
				});
				return { run, exit };
			},
			show: async (json) => (await import("./run/dry-run.ts")).dryRun(c, prepared, json),
		};
	},
	addRunOptions: (command, names) => addSome(c, command, names),
	runFlags: (given) => ({ ...startOptions(c, given as RunFlags) }),
	canAsk: () => canAsk(c),
});

/** Options of `pawl run`, without those that have no meaning for the command. */
function addSome(c: Context, command: Command, names: readonly string[]): Command {
	const own = command.name().replace(/^pawl /, "");
	for (const { flag, help, command: of } of Object.values(c.services.flags)) if (of === own) command.option(flag, help);
	const all = addRunOptions(c, new Command()).options;
	for (const option of all.filter((one) => names.includes(one.long?.replace(/^--(no-)?/, "") ?? ""))) command.addOption(option);
	return command;
}
