// Who makes our own commits: the user, or pawl if git does not know the user's name.
import { tryGit } from "./git.ts";

const NAME = "pawl";
const EMAIL = "pawl@localhost";

export interface Identity {
	/** What a commit by git needs in its environment; nothing if the user's own settings are enough. */
	readonly env: Readonly<Record<string, string>>;
	/** `Name <mail>` as a commit has them; null if git has to clean them up first. */
	readonly people: { readonly author: string; readonly committer: string } | null;
}

export const identityEnv = async (cwd: string): Promise<Readonly<Record<string, string>>> => (await identityOf(cwd)).env;

export async function identityOf(cwd: string): Promise<Identity> {
	const config = (await tryGit(cwd, ["config", "-z", "--get-regexp", "^(user|author|committer)\\.(name|email)$"])).stdout.toString("utf8");
	// The last value of a key counts.
	const set = new Map(config.split("\0").flatMap((entry) => (/\n./.test(entry) ? [[...entry.split(/\n(.*)/s)] as [string, string]] : [])));
	const env: Record<string, string> = {};
	const person = (who: string): string | null => {
		const part = (what: string, fallback: string): string => {
			const variable = `GIT_${who}_${what}`.toUpperCase();
			const given = process.env[variable] ?? "";
			const found = given === "" ? (set.get(`${who}.${what}`) ?? set.get(`user.${what}`)) : given;
			if (found === undefined) env[variable] = fallback;
			return found ?? fallback;
		};
		const [name, email] = [part("name", NAME), part("email", EMAIL)];
		return isClean(name) && isClean(email) ? `${name} <${email}>` : null;
	};
	const [author, committer] = [person("author"), person("committer")];
	return { env, people: author === null || committer === null ? null : { author, committer } };
}

/** git leaves out some characters, and strips others at the ends. */
const isClean = (text: string): boolean => /^[^\p{Cc}<>]+$/u.test(text) && !/^[\s.,:;"\\']|[\s.,:;"\\']$/u.test(text);
