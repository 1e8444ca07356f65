// GitLab, through `glab`.
import { readFile } from "node:fs/promises";
import type { Forge } from "../forge.ts";
import { addressIn, ask } from "./command.ts";

export const glab: Forge = {
	name: "glab",
	async ready(cwd, remoteUrl) {
		return !/github\.com/i.test(remoteUrl) && (await ask("glab", ["auth", "status"], cwd)).ok;
	},
	async open({ cwd, branch, base, title, bodyFile }) {
		const there = await ask("glab", ["mr", "list", "--source-branch", branch, "--output", "json"], cwd);
		const known = there.ok ? addressIn(/"web_url"\s*:\s*"([^"]+)"/.exec(there.stdout)?.[1] ?? "") : null;
		if (known !== null) return { url: known };
		const body = await readFile(bodyFile, "utf8");
		const args = ["mr", "create", "--source-branch", branch, "--target-branch", base, "--title", title, "--description", body, "--yes"];
		const made = await ask("glab", args, cwd);
		const url = addressIn(made.stdout);
		return made.ok && url !== null ? { url } : { problem: made.ok ? "glab printed no address" : made.problem };
	},
};
