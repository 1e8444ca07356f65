// pawl prd validate FILE: every mistake in a prd.json, or its stories in the order in which they could run.
import { resolve } from "node:path";
import { Command } from "commander";
import type { CommandContext } from "../../command.ts";
import { readPrd } from "../../text/story-list.ts";
import { graphOf, runnableOrder } from "./order.ts";
import { textOf } from "./reader.ts";

export function command(c: CommandContext): Command {
	const prd = new Command("pawl prd").description("validate a prd.json");
	prd
		.command("validate")
		.description(
			"list every mistake in a prd.json, with line and column; if there is none, list its stories in the order in which they could run",
		)
		.argument("<file>", "a prd.json")
		.option("--graph", "show which stories wait for which")
		.option("--json", "as one JSON document")
		.action((file: string, flags: Flags) => validate(c, file, flags));
	return prd;
}

interface Flags {
	readonly graph?: boolean;
	readonly json?: boolean;
}

async function validate(c: CommandContext, file: string, { graph = false, json = false }: Flags): Promise<void> {
	const found = await textOf(resolve(c.cwd, file));
	if ("problem" in found) throw c.refusal(`${file} cannot be read: ${found.problem}`);
	const result = readPrd(found.text);
	if (!result.ok) {
		if (json) c.out(c.json({ ok: false, problems: result.problems }));
		throw c.refusal(
			`${result.problems.length} problem${result.problems.length === 1 ? "" : "s"}\n${result.problems.map((p) => `${file}:${p.line}:${p.column}: ${p.message}`).join("\n")}`,
		);
	}
	const order = runnableOrder(result.prd.stories);
	if (json) return c.out(c.json({ ok: true, name: result.prd.name, stories: order }));
	if (order.length === 0) throw c.refusal(`${file} has no story`);
	if (graph) return c.out(graphOf(c, result.prd.stories));
	c.out(`${file} is fine: ${order.length} stor${order.length === 1 ? "y" : "ies"}, in the order in which they could run\n`);
	c.out(
		`${c.table(
			order.map((s) => [s.id, s.passes ? "passes already" : s.dependsOn.length > 0 ? `after ${s.dependsOn.join(", ")}` : "", s.title]),
		)}\n`,
	);
}
