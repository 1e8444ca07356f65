// Writes a first pawl.yml with the checks found in the repository. Never overwrites an existing one.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { renderInitialConfig } from "../config/initial.ts";
import { configJsonSchema } from "../config/json-schema.ts";
import { createWhole, writeWhole } from "../files/write.ts";
import { detectChecks } from "../toolchain/checks.ts";
import { detectSetup } from "../toolchain/setup.ts";
import type { RunsContext } from "./context.ts";
import { Refusal } from "./refusal.ts";
import { findRepository, makePawlFolder } from "./repository.ts";

export interface WrittenConfig {
	readonly file: string;
	/** null: nothing was found. */
	readonly lint: string | null;
	readonly test: string | null;
	readonly setup: string | null;
	/** The file that it was found in; empty if nothing was found. */
	readonly from: string;
}

/** The schema of pawl.yml in a repository that has pawl as a dependency, and the copy of it for any other. */
const INSTALLED = "node_modules/pawl/schema/pawl.schema.json";
const OWN = ".pawl/pawl.schema.json";

export async function initConfig(c: RunsContext): Promise<WrittenConfig> {
	const { root } = await findRepository(c);
	const detected = detectChecks(root);
	const file = join(root, "pawl.yml");
	const setup = detectSetup(root);
	const schema = existsSync(join(root, INSTALLED)) ? INSTALLED : OWN;
	if (!createWhole(file, renderInitialConfig(detected, setup, schema)))
		throw new Refusal("refused", `${file} is there already; it was left as it is`);
	if (schema === OWN) {
		makePawlFolder(root);
		await writeWhole(join(root, OWN), configJsonSchema());
	}
	return {
		file,
		lint: detected.lint ?? null,
		test: detected.test ?? null,
		setup: setup?.command ?? null,
		from: [detected.from, setup?.from ?? ""].filter((one) => one !== "").join(", "),
	};
}
