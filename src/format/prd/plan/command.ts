// pawl plan "IDEA": a run that ends in a prd.json, then its stories as a graph, and what to do next.
import { basename, relative } from "node:path";
import { Command } from "commander";
import type { CommandContext } from "../../../command.ts";
import { startedWith } from "../../../core/started-with.ts";
import { packagePath } from "../../../package-root.ts";
import { quoteWord } from "../../../text/quote-word.ts";
import { readPrd } from "../../../text/story-list.ts";
import { graphOf } from "../order.ts";
import { textOf } from "../reader.ts";
import { PRINTED } from "./reader.ts";
import { changesOf, copyOf } from "./write.ts";

/** The workflow that plans; a repository's or a user's own `plan` counts as well. */
const WORKFLOW = basename(packagePath("workflows", "plan"));

/** Those of `pawl run` that a plan can use. */
const OPTIONS = [
	...["agent", "agent-command", "script", "model", "effort", "role", "fallback", "base", "timeout", "max-cost", "allow-unknown-cost"],
	...["max-time", "max-wait", "shared-dir", "json", "quiet", "dry-run"],
];

interface Flags {
	readonly json?: boolean;
	readonly quiet?: boolean;
	readonly dryRun?: boolean;
	readonly yes?: boolean;
	readonly out?: string;
}

export function command(c: CommandContext): Command {
	const plan = new Command("pawl plan")
		.description(
			"an agent looks around in the repository, asks a few questions on a terminal, and writes small, ordered, testable stories; the repository stays as it is",
		)
		.argument("<idea>", "what to build, or with --revise what to change, in plain words");
	return c
		.addRunOptions(plan, OPTIONS)
		.option("--yes", "ask nothing: the agent decides, and writes down what it assumed (as it does in a pipe)")
		.action(async (idea: string, flags: Flags) => c.exit(await planIdea(c, idea, flags)));
}

async function planIdea(c: CommandContext, idea: string, flags: Flags): Promise<number> {
	const { json = false, quiet = false, dryRun: dry = false, ...options } = flags;
	// Where nobody can be asked, the planner hears it before it begins.
	const given = c.runFlags({ ...options, yes: options.yes === true || json || !c.canAsk() });
	const prepared = await c.prepareRun(WORKFLOW, idea, given, { dry });
	if (dry) {
		await prepared.show(json);
		return 0;
	}
	const { run, exit } = await prepared.follow({ json, quiet, apart: flags.out === PRINTED });
	if (exit !== 0) return exit;
	await tell(c, run, json);
	return 0;
}

/** The person left the run before it ended: then there is nothing to tell yet. */
async function tell(c: CommandContext, run: string, json: boolean): Promise<void> {
	const state = await c.run(run);
	const found = await textOf(copyOf(startedWith(state).sharedDir));
	if (state.status !== "completed" || !("text" in found)) return;
	const file = state.input["planned_prd"] ?? PRINTED;
	const read = readPrd(found.text);
	if (json)
		return c.out(`${JSON.stringify({ event: "planned", run, file: file === PRINTED ? null : file, prd: JSON.parse(found.text) })}\n`);
	const changes = changesOf(state);
	const noteOf = (id: string): string => (changes?.added.includes(id) ? "new" : changes?.changed.includes(id) ? "changed" : "");
	const dropped = changes === null || changes.dropped.length === 0 ? "" : `\ndropped: ${changes.dropped.join(", ")}\n`;
	const graph = read.ok ? `${graphOf(c, read.prd.stories, noteOf)}${dropped}` : "";
	const assumed = read.ok ? read.prd.rest["assumptions"] : [];
	const lines =
		Array.isArray(assumed) && assumed.length > 0
			? `\nassumptions\n${assumed.map((one) => `  - ${c.oneLine(String(one), 200)}\n`).join("")}`
			: "";
	const say = file === PRINTED ? c.err : c.out;
	say(`\n${graph}${lines}`);
	if (file === PRINTED) return c.out(found.text);
	const name = quoteWord(relative(c.cwd, file));
	c.out(`\nread ${name}, change it by hand or with: pawl plan --revise ${name} "…"\nthen start it with: pawl run dynamic --prd ${name}\n`);
}
