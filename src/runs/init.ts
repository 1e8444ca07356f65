// Writes a first pawl.yml with the checks found in the repository. Never overwrites an existing one.
import { join } from "node:path";
import { renderInitialConfig } from "../config/initial.ts";
import { createWhole } from "../files/write.ts";
import { detectChecks } from "../toolchain/checks.ts";
import { detectSetup } from "../toolchain/setup.ts";
import type { RunsContext } from "./context.ts";
import { Refusal } from "./refusal.ts";
import { findRepository } from "./repository.ts";

export interface WrittenConfig {
	readonly file: string;
	/** null: nothing was found. */
	readonly lint: string | null;
	readonly test: string | null;
	readonly setup: string | null;
	/** The file that it was found in; empty if nothing was found. */
	readonly from: string;
}

export async function initConfig(c: RunsContext): Promise<WrittenConfig> {
	const { root } = await findRepository(c);
	const detected = detectChecks(root);
	const file = join(root, "pawl.yml");
	const setup = detectSetup(root);
	if (!createWhole(file, renderInitialConfig(detected, setup)))
		throw new Refusal("refused", `${file} is there already; it was left as it is`);
	return {
		file,
		lint: detected.lint ?? null,
		test: detected.test ?? null,
		setup: setup?.command ?? null,
		from: [detected.from, setup?.from ?? ""].filter((one) => one !== "").join(", "),
	};
}
