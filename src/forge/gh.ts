// GitHub, through `gh`.
import type { Forge } from "../forge.ts";
import { addressIn, addressOf, ask, loginProblem, openedBy } from "./command.ts";
import { ghServes } from "./serves.ts";

export const gh: Required<Forge> = {
	name: "gh",
	serves: ghServes,
	problem: (cwd, remoteUrl) => loginProblem("gh", "https://cli.github.com", cwd, remoteUrl),
	async open({ cwd, branch, base, title, bodyFile }) {
		const there = await ask("gh", ["pr", "list", "--head", branch, "--state", "open", "--json", "url", "--jq", ".[0].url"], cwd);
		if (!there.ok) return { problem: there.problem };
		const known = addressIn(there.stdout);
		if (known !== null) return { url: known };
		const made = await ask("gh", ["pr", "create", "--base", base, "--head", branch, "--title", title, "--body-file", bodyFile], cwd);
		return openedBy("gh", made);
	},
	async issue({ cwd, title, bodyFile }) {
		const there = await ask("gh", ["issue", "list", "--state", "all", "--limit", "200", "--json", "title,url"], cwd);
		const known = there.ok ? addressOf(there.stdout, title, "url") : null;
		if (known !== null) return { url: known };
		const made = await ask("gh", ["issue", "create", "--title", title, "--body-file", bodyFile], cwd);
		return openedBy("gh", made);
	},
};
