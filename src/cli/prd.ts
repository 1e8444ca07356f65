// pawl prd validate FILE: all that is wrong with a prd.json, or its stories in the order in which they could run.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import type { StorySeed } from "../core/input.ts";
import { readPrd } from "../text/story-list.ts";
import { CliError, type Context } from "./context.ts";
import { document } from "./text/document.ts";
import { fitted } from "./text/fit.ts";

export function command(c: Context): Command {
	const prd = new Command("pawl prd").description("validate a prd.json");
	prd
		.command("validate")
		.description("say everything that is wrong with a prd.json, with its place; else list its stories in the order in which they could run")
		.argument("<file>", "a prd.json")
		.option("--json", "as one JSON document")
		.action((file: string, flags: { json?: boolean }) => validate(c, file, flags.json ?? false));
	return prd;
}

function validate(c: Context, file: string, json: boolean): void {
	const result = readPrd(textOf(resolve(c.cwd, file), file));
	if (!result.ok) {
		if (json) c.out(document({ ok: false, problems: result.problems }));
		throw new CliError(
			`${result.problems.length} problem${result.problems.length === 1 ? "" : "s"}\n${result.problems.map((p) => `${file}:${p.line}:${p.column}: ${p.message}`).join("\n")}`,
		);
	}
	const order = runnableOrder(result.prd.stories);
	if (json) return c.out(document({ ok: true, name: result.prd.name, stories: order }));
	if (order.length === 0) throw new CliError(`${file} has no story`);
	c.out(`${file} is fine: ${order.length} stor${order.length === 1 ? "y" : "ies"}, in the order in which they could run\n`);
	c.out(
		`${fitted(
			order.map((s) => [s.id, s.passes ? "passes already" : s.dependsOn.length > 0 ? `after ${s.dependsOn.join(", ")}` : "", s.title]),
			c.width,
		)}\n`,
	);
}

function textOf(path: string, name: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		throw new CliError(
			`${name} cannot be read: ${(error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : (error as Error).message}`,
		);
	}
}

/** As one agent would take them: what passes already first, then always the most urgent one that needs nothing any more. */
export function runnableOrder(stories: readonly StorySeed[]): StorySeed[] {
	const order = stories.filter((s) => s.passes);
	const done = new Set(order.map((s) => s.id));
	const left = new Set(stories.filter((s) => !s.passes));
	while (left.size > 0) {
		let next: StorySeed | null = null;
		for (const story of left)
			if (story.dependsOn.every((id) => done.has(id)) && (next === null || story.priority < next.priority)) next = story;
		if (next === null) break;
		left.delete(next);
		done.add(next.id);
		order.push(next);
	}
	return [...order, ...left];
}
