// docs/reference/cli.md: every command with its arguments and flags, as `--help` has them.
import type { Command, Option } from "commander";
import { commandsOf } from "../../src/cli/commands.ts";
import { type Context, EXIT } from "../../src/cli/context.ts";
import { EXIT_WORDS, TITLES } from "../../src/cli/help.ts";
import { oneShot } from "../../src/cli/run/one-shot.ts";
import { services } from "../../src/wiring.ts";
import { cell, code, MADE, page, table } from "./table.ts";

// Commands use it when they are run, not when they are made.
const context = { services } as Context;

export async function cliPage(): Promise<string> {
	const groups = await Promise.all(Object.entries(TITLES).map(([group, title]) => groupOf(group, title)));
	return page(
		"# Commands and flags",
		`${MADE} [The command line](../cli.md) explains them. Every command also takes \`--help\` and \`--db URL\` ([several machines](../machines.md)).`,
		"## Exit codes",
		table(
			["code", "meaning"],
			Object.entries(EXIT).map(([name, value]) => [String(value), cell(EXIT_WORDS[name as keyof typeof EXIT])]),
		),
		"## A request",
		section("###", oneShot(context), "pawl"),
		...groups,
	);
}

async function groupOf(group: string, title: string): Promise<string> {
	const entries = Object.entries(commandsOf(services.commands)).filter(([, entry]) => entry.group === group);
	const made = await Promise.all(entries.map(async ([name, { load }]) => [name, (await load()).command(context)] as const));
	const parts = made.flatMap(([name, command]) =>
		command.commands.length === 0
			? [section("###", command, `pawl ${name}`)]
			: [
					`### \`pawl ${name}\``,
					sentence(command.description()),
					...command.commands.map((sub) => section("####", sub, `pawl ${name} ${sub.name()}`)),
				],
	);
	return page(`## ${title[0]?.toUpperCase()}${title.slice(1)}`, ...parts).trimEnd();
}

function section(level: string, command: Command, name: string): string {
	const args = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
	return page(
		`${level} \`${name === "pawl" ? 'pawl "REQUEST"' : name}\``,
		sentence(command.description()),
		`\`\`\`text\n${[name, ...args, ...(command.options.length > 0 ? ["[options]"] : [])].join(" ")}\n\`\`\``,
		table(
			["argument", "what it is"],
			command.registeredArguments.map((one) => [code(one.name()), cell(one.description)]),
		),
		table(["flag", "what it does"], command.options.filter(({ hidden }) => !hidden).map(optionRow)),
	).trimEnd();
}

function optionRow({ flags, description, defaultValue }: Option): string[] {
	const usual = typeof defaultValue === "string" || typeof defaultValue === "number" ? ` (default \`${defaultValue}\`)` : "";
	return [code(flags), cell(description) + usual];
}

const sentence = (text: string): string =>
	text === "" ? "" : `${cell(text[0]?.toUpperCase() + text.slice(1)).replaceAll("\\|", "|")}.`.replace(/([.…:])\.$/, "$1");
