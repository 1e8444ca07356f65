// A forge that is only a folder: a demo opens its pull request there, and nothing leaves the machine.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Services } from "../../runs/context.ts";

export const PULL_REQUEST = "pull-request-1.md";

export const folderForge = (folder: string): Services["forges"][number] => ({
	name: "the forge of the demo",
	serves: () => true,
	problem: async () => null,
	open: async ({ branch, base, title, bodyFile }) => {
		writeFileSync(join(folder, PULL_REQUEST), `# ${title}\n\n> ${branch} into ${base}\n\n${readFileSync(bodyFile, "utf8")}`);
		return { url: "https://forge.invalid/greet/pull/1" };
	},
});
