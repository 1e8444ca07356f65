// pawl init
import { basename } from "node:path";
import { Command } from "commander";
import { initConfig } from "../../runs/init.ts";
import type { Context } from "../context.ts";

export function command(c: Context): Command {
	return new Command("pawl init").description("write a pawl.yml with the checks found in the repository").action(async () => {
		const { file, from, ...found } = await initConfig(c);
		c.out(`${file} written\n`);
		for (const kind of ["lint", "test"] as const)
			c.out(
				`  ${kind}: ${found[kind] ?? `nothing found; set checks.${kind} in ${basename(file)}, so that pawl can check the work itself`}\n`,
			);
		c.out(`  setup: ${found.setup ?? "nothing found; if a fresh worktree needs one to pass its checks, set it"}\n`);
		if (from !== "") c.out(`  found in ${from}\n`);
	});
}
