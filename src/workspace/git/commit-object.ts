// A commit, made without a process where that makes no difference, else by git.
import type { GitOptions } from "./git.ts";
import type { Identity } from "./identity.ts";
import { gitObject, writeObjects } from "./object-file.ts";

export interface NewCommit {
	readonly tree: string;
	readonly parent: string;
	readonly message: string;
	readonly identity: Identity;
}

/** Its id; it is on the disk, and no branch has it yet. */
export async function writeCommit(
	commonDir: string,
	{ tree, parent, message, identity }: NewCommit,
	git: { run(args: readonly string[], options: GitOptions): Promise<string> },
): Promise<string> {
	const { people, env } = identity;
	if (people !== null && /^[^\0]+$/.test(message)) {
		const when = timeOf(new Date());
		const head = `tree ${tree}\nparent ${parent}\nauthor ${people.author} ${when}\ncommitter ${people.committer} ${when}\n\n`;
		const commit = gitObject("commit", Buffer.from(head + message), parent.length / 2);
		if (await writeObjects(commonDir, [commit])) return commit.id;
	}
	return git.run(["commit-tree", tree, "-p", parent, "-F", "-"], { input: message, env });
}

/** Seconds, and how far the clock on the wall is ahead of UTC. */
function timeOf(now: Date): string {
	const ahead = -now.getTimezoneOffset();
	const minutes = Math.abs(ahead);
	const two = (n: number): string => String(n).padStart(2, "0");
	return `${Math.floor(now.getTime() / 1000)} ${ahead < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
}
