// pawl schema [NAME]: the JSON Schemas in the package, for editors and for programs that read what pawl prints.
import { readdirSync, readFileSync } from "node:fs";
import { Command } from "commander";
import { closest } from "../../core/closest.ts";
import { packagePath } from "../../package-root.ts";
import { Refusal } from "../../runs/refusal.ts";
import type { Context } from "../context.ts";

const ENDING = ".schema.json";

export function command(c: Context): Command {
	return new Command("pawl schema")
		.description("print the JSON Schema of a format; without a name, list them")
		.argument("[name]", "such as pawl, workflow, event or status")
		.action((name: string | undefined) => {
			const names = readdirSync(packagePath("schema"))
				.filter((file) => file.endsWith(ENDING))
				.map((file) => file.slice(0, -ENDING.length))
				.sort();
			if (name === undefined) c.out(`${names.map((one) => `${one}  ${fileOf(one)}`).join("\n")}\n`);
			else if (names.includes(name)) c.out(readFileSync(fileOf(name), "utf8"));
			else {
				const meant = closest(name, names);
				throw new Refusal(
					"not_found",
					`there is no schema ${name}; ${meant === null ? `there are ${names.join(", ")}` : `did you mean ${meant}?`}`,
				);
			}
		});
}

const fileOf = (name: string): string => packagePath("schema", `${name}${ENDING}`);
