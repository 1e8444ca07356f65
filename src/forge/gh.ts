// GitHub, through `gh`.
import type { Forge } from "../forge.ts";
import { addressIn, addressOf, ask } from "./command.ts";

export const gh: Required<Forge> = {
	name: "gh",
	async ready(cwd, remoteUrl) {
		return !/gitlab/i.test(remoteUrl) && (await ask("gh", ["auth", "status"], cwd)).ok;
	},
	async open({ cwd, branch, base, title, bodyFile }) {
		const there = await ask("gh", ["pr", "list", "--head", branch, "--state", "open", "--json", "url", "--jq", ".[0].url"], cwd);
		const known = there.ok ? addressIn(there.stdout) : null;
		if (known !== null) return { url: known };
		const made = await ask("gh", ["pr", "create", "--base", base, "--head", branch, "--title", title, "--body-file", bodyFile], cwd);
		const url = addressIn(made.stdout);
		return made.ok && url !== null ? { url } : { problem: made.ok ? "gh printed no address" : made.problem };
	},
	async issue({ cwd, title, bodyFile }) {
		const there = await ask("gh", ["issue", "list", "--state", "all", "--limit", "200", "--json", "title,url"], cwd);
		const known = there.ok ? addressOf(there.stdout, title, "url") : null;
		if (known !== null) return { url: known };
		const made = await ask("gh", ["issue", "create", "--title", title, "--body-file", bodyFile], cwd);
		const url = addressIn(made.stdout);
		return made.ok && url !== null ? { url } : { problem: made.ok ? "gh printed no address" : made.problem };
	},
};
