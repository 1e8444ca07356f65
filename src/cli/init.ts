// pawl init: writes a pawl.yml with what was found in the repository; one that is there is never overwritten.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { renderInitialConfig } from "../config/initial.ts";
import { findRepository } from "../runs/place.ts";
import { detectChecks } from "../toolchain/checks.ts";
import { CliError, type Context } from "./context.ts";

const FILE = "pawl.yml";

export function command(c: Context): Command {
	return new Command("pawl init").description("write a pawl.yml with what was found in the repository").action(async () => {
		const { root } = await findRepository(c);
		const detected = detectChecks(root);
		const file = join(root, FILE);
		try {
			writeFileSync(file, renderInitialConfig(detected), { flag: "wx" });
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "EEXIST") throw new CliError(`${file} is there already; it was left as it is`);
			throw error;
		}
		c.out(`${file} written\n`);
		for (const kind of ["lint", "test"] as const)
			c.out(`  ${kind}: ${detected[kind] ?? `nothing found; set checks.${kind} in ${FILE}, so that pawl can check the work itself`}\n`);
		if (detected.from !== "") c.out(`  found in ${detected.from}\n`);
	});
}
