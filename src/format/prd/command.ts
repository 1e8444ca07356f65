// pawl prd validate FILE: every mistake in a prd.json, or its stories in the order in which they could run.
import { resolve } from "node:path";
import { Command } from "commander";
import type { CommandContext } from "../../command.ts";
import { weightBehind } from "../../core/graph.ts";
import type { StorySeed } from "../../core/input.ts";
import { readPrd } from "../../text/story-list.ts";
import { textOf } from "./reader.ts";

export function command(c: CommandContext): Command {
	const prd = new Command("pawl prd").description("validate a prd.json");
	prd
		.command("validate")
		.description(
			"list every mistake in a prd.json, with line and column; if there is none, list its stories in the order in which they could run",
		)
		.argument("<file>", "a prd.json")
		.option("--json", "as one JSON document")
		.action((file: string, flags: { json?: boolean }) => validate(c, file, flags.json ?? false));
	return prd;
}

async function validate(c: CommandContext, file: string, json: boolean): Promise<void> {
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
	c.out(`${file} is fine: ${order.length} stor${order.length === 1 ? "y" : "ies"}, in the order in which they could run\n`);
	c.out(
		`${c.table(
			order.map((s) => [s.id, s.passes ? "passes already" : s.dependsOn.length > 0 ? `after ${s.dependsOn.join(", ")}` : "", s.title]),
		)}\n`,
	);
}

/** In the order in which one agent would take them: first those that already pass, then always the most urgent one whose dependencies are
 * done; of equal ones that with the longest chain behind it. */
function runnableOrder(stories: readonly StorySeed[]): StorySeed[] {
	const order = stories.filter((s) => s.passes);
	const done = new Set(order.map((s) => s.id));
	const left = new Set(stories.filter((s) => !s.passes));
	const behind = weightBehind([...left], () => 1);
	const isBefore = (one: StorySeed, other: StorySeed): boolean =>
		one.priority < other.priority || (one.priority === other.priority && (behind.get(one.id) ?? 0) > (behind.get(other.id) ?? 0));
	while (left.size > 0) {
		let next: StorySeed | null = null;
		for (const story of left) if (story.dependsOn.every((id) => done.has(id)) && (next === null || isBefore(story, next))) next = story;
		if (next === null) break;
		left.delete(next);
		done.add(next.id);
		order.push(next);
	}
	return [...order, ...left];
}
