// GitLab, through `glab`.
import { readFile } from "node:fs/promises";
import { withoutMiddle } from "../core/cut.ts";
import type { Forge } from "../forge.ts";
import { addressIn, addressOf, ask, loginProblem, openedBy } from "./command.ts";
import { glabServes } from "./serves.ts";

/** Below the limit for one argument of a program. */
const LONGEST_BYTES = 100 * 1024;

/** The text is an agent's, and GitLab executes lines of it that begin with `/merge` or `/assign`, with the rights of the user who is logged
 * in. GitLab ignores them in code blocks, so code blocks are not changed. */
export function description(text: string): string {
	let fence = "";
	const lines = text.split("\n").map((line) => {
		const [mark = ""] = /^ {0,3}(?:`{3,}|~{3,})/.exec(line)?.map((found) => found.trim()) ?? [];
		if (mark !== "" && (fence === "" || (mark.startsWith(fence) && line.trim() === mark))) fence = fence === "" ? mark : "";
		return fence === "" && /^\s*\/[a-z]/i.test(line) ? line.replace("/", "\\/") : line;
	});
	return withoutMiddle(lines.join("\n"), LONGEST_BYTES, "");
}

export const glab: Required<Forge> = {
	name: "glab",
	serves: glabServes,
	problem: (cwd, remoteUrl) => loginProblem("glab", "https://gitlab.com/gitlab-org/cli", cwd, remoteUrl),
	async open({ cwd, branch, base, title, bodyFile }) {
		const there = await ask("glab", ["mr", "list", "--source-branch", branch, "--output", "json"], cwd);
		if (!there.ok) return { problem: there.problem };
		const known = addressIn(/"web_url"\s*:\s*"([^"]+)"/.exec(there.stdout)?.[1] ?? "");
		if (known !== null) return { url: known };
		const body = description(await readFile(bodyFile, "utf8"));
		const args = ["mr", "create", "--source-branch", branch, "--target-branch", base, "--title", title, "--description", body, "--yes"];
		const made = await ask("glab", args, cwd);
		return openedBy("glab", made);
	},
	async issue({ cwd, title, bodyFile }) {
		const there = await ask("glab", ["issue", "list", "--all", "--output", "json"], cwd);
		const known = there.ok ? addressOf(there.stdout, title, "web_url") : null;
		if (known !== null) return { url: known };
		const body = description(await readFile(bodyFile, "utf8"));
		const made = await ask("glab", ["issue", "create", "--title", title, "--description", body, "--yes"], cwd);
		return openedBy("glab", made);
	},
};
