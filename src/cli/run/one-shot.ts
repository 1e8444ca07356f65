// pawl "REQUEST": the workflow for requests in the current tree, its files in a temporary folder while it runs.
import { Command } from "commander";
import { closest } from "../../core/closest.ts";
import { Refusal } from "../../runs/refusal.ts";
import { prepare } from "../../runs/start/prepare.ts";
import { startRun } from "../../runs/start/start.ts";
import type { Context } from "../context.ts";
import { dryRun } from "./dry-run.ts";
import { follow } from "./follow.ts";
import { addRunOptions, type RunFlags, startOptions } from "./run-options.ts";

export function oneShot(c: Context): Command {
	const shot = new Command("pawl")
		.description(`one request through the steps of \`${c.services.oneShotWorkflow}\`, in the current tree`)
		.argument("<request>", "the request in plain words");
	return addRunOptions(c, shot).action(async (request: string, flags: RunFlags) => {
		const { json = false, quiet = false, detach = false, dryRun: dry, ...options } = startOptions(c, flags);
		const problem = notARequest(c, request);
		if (problem !== null) throw new Refusal("invalid", problem);
		const prepared = await prepare(c, c.services.oneShotWorkflow, request, options, { dry: dry === true });
		if (dry) return dryRun(c, prepared, json);
		const exit = await follow(c, { json, quiet }, async (observer) => {
			const { run, ended } = await startRun(c, prepared, observer, { background: detach, ephemeral: true });
			if (detach) c.out(`${run}\n`);
			return ended;
		});
		c.exit(exit);
	});
}

/** A mistyped command must not become a request that costs money, so one word is not a request. Languages without spaces say
 * more in one "word" than any command. */
export function notARequest(
	{ commands, services }: Pick<Context, "commands"> & { readonly services: Pick<Context["services"], "oneShotWorkflow"> },
	request: string,
): string | null {
	const word = request.trim();
	if (word === "") return "the request is empty";
	if (!/^[\x21-\x7e]+$/.test(word)) return null;
	const near = closest(word, Object.keys(commands));
	return `there is no command ${word}${near === null ? "" : ` (did you mean ${near}?)`}; pawl --help lists them. If it is a request: pawl run ${services.oneShotWorkflow} "${word}"`;
}
