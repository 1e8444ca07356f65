// Who makes our own commits: the user, or pawl if git does not know the user's name.
import { tryGit } from "./git.ts";

const NAME = "pawl";
const EMAIL = "pawl@localhost";

/** What a commit needs in its environment; nothing if the user's own settings are enough. */
export async function identityEnv(cwd: string): Promise<Record<string, string>> {
	const config = (await tryGit(cwd, ["config", "-z", "--get-regexp", "^(user|author|committer)\\.(name|email)$"])).stdout.toString("utf8");
	const set = new Set(config.split("\0").flatMap((entry) => (/\n./.test(entry) ? [entry.split("\n", 1)[0] ?? ""] : [])));
	const missing: Record<string, string> = {};
	for (const who of ["author", "committer"]) {
		for (const [what, fallback] of [["name", NAME] as const, ["email", EMAIL] as const]) {
			const variable = `GIT_${who}_${what}`.toUpperCase();
			if (!set.has(`user.${what}`) && !set.has(`${who}.${what}`) && (process.env[variable] ?? "") === "") missing[variable] = fallback;
		}
	}
	return missing;
}
