// Writes a first pawl.yml, and the schema that it names for editors. Never overwrites an existing one.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { renderInitialConfig } from "../../config/initial.ts";
import { configJsonSchema } from "../../config/json-schema.ts";
import { CONFIG_FILE } from "../../config.ts";
import { createWhole, writeWhole } from "../../files/write.ts";
import { makePawlFolder } from "../repository.ts";
import { CHECKS, type ConfigChoices } from "./choices.ts";
import { alreadyThere, type RepositoryFacts } from "./facts.ts";

/** The schema of pawl.yml in a repository that has pawl as a dependency, and the copy of it for any other. */
const INSTALLED = "node_modules/pawl/schema/pawl.schema.json";
const OWN = ".pawl/pawl.schema.json";

/** Returns the file. */
export async function writeConfig(facts: RepositoryFacts, choices: ConfigChoices): Promise<string> {
	const { root } = facts;
	const file = join(root, CONFIG_FILE);
	const schema = existsSync(join(root, INSTALLED)) ? INSTALLED : OWN;
	if (!createWhole(file, renderInitialConfig({ ...choices, from: fromOf(facts, choices) }, schema))) throw alreadyThere(file);
	if (schema === OWN) {
		makePawlFolder(root);
		await writeWhole(join(root, OWN), configJsonSchema());
	}
	return file;
}

/** Which files the commands were found in; nothing for commands that a person typed. */
function fromOf(facts: RepositoryFacts, choices: ConfigChoices): { readonly checks: string; readonly setup: string } {
	const isFound = CHECKS.some((kind) => choices[kind] !== null && choices[kind] === facts[kind]);
	return { checks: isFound ? facts.checksFrom : "", setup: choices.setup === facts.setup ? facts.setupFrom : "" };
}
