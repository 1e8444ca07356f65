// Every pawl command line in the documents could be typed: the command is there, and so are its flags. And the other way
// round: docs/cli.md leaves out no command, no flag and no exit code.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Command } from "commander";
import { commandsOf } from "../../src/cli/commands.ts";
import { type Context, EXIT } from "../../src/cli/context.ts";
import { oneShot } from "../../src/cli/run/one-shot.ts";
import { services } from "../../src/wiring.ts";
import { PAGES, type Page, PROJECT, page, readPage, spans } from "./pages.ts";

// Commands use it when they are run, not when they are made.
const context = { services } as Context;
const overview = execFileSync(join(PROJECT, "bin", "pawl"), ["--help"], { encoding: "utf8" });
const names = [...overview.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name = ""]) => name).filter((name) => name !== "pawl");
const COMMANDS = commandsOf(services.commands);
const commands = new Map<string, Command>(
	await Promise.all(names.map(async (name) => [name, (await COMMANDS[name]!.load()).command(context)] as const)),
);

const PLACEHOLDER = /^[A-Z_]+$/;

function problemOf(line: string): string | null {
	const [first = "", ...rest] = line.match(/"[^"]*"?|'[^']*'?|\S+/g) ?? [];
	if (first === "" || PLACEHOLDER.test(first) || first === "--help" || first === "--version") return null;
	if (/^["'-]/.test(first)) return flagProblem(oneShot(context), [first, ...rest]);
	const command = commands.get(first);
	if (!command) return `there is no command ${first}`;
	if (command.commands.length === 0) return flagProblem(command, rest);
	const [name, ...more] = rest;
	const sub = command.commands.find((one) => one.name() === name);
	if (name === undefined) return null;
	return sub ? flagProblem(sub, more) : `${first} has no command ${name}`;
}

function flagProblem(command: Command, words: readonly string[]): string | null {
	const known = [...command.options.flatMap((option) => [option.long, option.short]), "--help"];
	const wrong = words.map((word) => word.split("=")[0] ?? "").find((word) => /^--?[a-z]/.test(word) && !known.includes(word));
	return wrong === undefined ? null : `${command.name()} has no flag ${wrong}`;
}

/** Command lines in blocks and spans, cut at what a shell would cut them at. */
function linesOf(one: Page): { readonly line: number; readonly text: string }[] {
	const shell = one.blocks.filter((block) => block.language === "sh" || block.language === "");
	const inBlocks = shell.flatMap((block) => block.text.split("\n").map((text, index) => ({ text, line: block.line + index + 1 })));
	return [...inBlocks, ...spans(one)].flatMap(({ text, line }) =>
		text
			.split(/ {2,}| #|&&|;|\||\$\(/)
			.flatMap((part) => (/^\s*(?:bin\/)?pawl (\S.*)$/.exec(part)?.[1] ?? "").split("\0"))
			.filter((rest) => rest !== "")
			.map((rest) => ({ line, text: rest.replace(/[[\]()]/g, "").replace(/["']?…["']?/g, "X") })),
	);
}

const wrongIn = (one: Page): string[] =>
	linesOf(one).flatMap(({ line, text }) => {
		const problem = problemOf(text);
		return problem === null ? [] : [`${one.path}:${line}: pawl ${text}: ${problem}`];
	});

describe("other command lines in the documents", () => {
	const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as { scripts: Record<string, string> };
	const texts = PAGES.filter(({ path }) => path !== "CHANGELOG.md").flatMap((one) =>
		[...one.blocks.filter(({ language }) => language === "sh"), ...spans(one)].map(({ text, line }) => ({
			at: `${one.path}:${line}`,
			text,
		})),
	);

	it("name scripts of package.json and files that exist", () => {
		const wrong = texts.flatMap(({ at, text }) => [
			...[...text.matchAll(/npm run ([\w:]+)/g)].flatMap(([, name = ""]) => (name in scripts ? [] : [`${at}: npm run ${name}`])),
			...[...text.matchAll(/(?:^|\s)node ((?:src|scripts|test|bench|tools)\/\S+)/g)].flatMap(([, file = ""]) =>
				existsSync(join(PROJECT, file)) ? [] : [`${at}: node ${file}`],
			),
		]);
		assert.ok(texts.filter(({ text }) => text.includes("npm run ")).length > 20);
		assert.deepEqual(wrong, []);
	});
});

describe("pawl command lines in the documents", () => {
	it("name commands and flags that exist", () => {
		assert.ok(PAGES.flatMap(linesOf).length > 50);
		assert.deepEqual(PAGES.flatMap(wrongIn), []);
	});

	it("are found wrong by this test where they are", () => {
		const text = '`pawl frobnicate` `pawl run x --bogus` `pawl workflow draw`\n\n```sh\npawl status && pawl "a request" --nope\n```\n';
		assert.equal(wrongIn(readPage("x.md", text)).length, 4);
	});

	it("docs/cli.md has every command and every flag", () => {
		const { text } = page("docs/cli.md");
		const all = [...commands].flatMap(([name, command]) =>
			command.commands.length === 0
				? [{ name, options: command.options }]
				: command.commands.map((sub) => ({ name: `${name} ${sub.name()}`, options: sub.options })),
		);
		const missing = all.flatMap(({ name, options }) => [
			...(text.includes(`pawl ${name}`) ? [] : [`pawl ${name}`]),
			...options.flatMap(({ long, hidden }) => (hidden || (long != null && text.includes(`\`${long}`)) ? [] : [`${name} ${long}`])),
		]);
		assert.deepEqual(missing, []);
	});

	it("docs/cli.md has every exit code", () => {
		const rows = page("docs/cli.md").prose.filter((line) => /^\| \d/.test(line));
		const codes = rows.flatMap((row) => (row.split("|")[1] ?? "").split(",").map(Number));
		assert.deepEqual(codes, Object.values(EXIT));
	});
});
