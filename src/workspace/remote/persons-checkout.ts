// A person's own checkout of the repository that machines share: what workers did comes here, and a clean checkout of base follows base. Nothing of the
// person's is ever changed: base is moved forward only, and only by git itself, which refuses to overwrite a file.
import { gitAddress, redactAddresses } from "../../core/remote/git-address.ts";
import type { FollowedBase, PersonsCheckout } from "../../remote.ts";
import type { FoundRepository, NoRepository } from "../git/find.ts";
import { findRepository } from "../git/find.ts";
import { git, tryGit } from "../git/git.ts";
import { branchRef } from "./names.ts";
import { GitRemote, type RemoteOptions } from "./remote.ts";

/** `remote`: the address, as the checkout's own configuration has it. */
export async function openPersonsCheckout(
	cwd: string,
	remote: string,
	options: RemoteOptions = {},
): Promise<PersonsCheckout | NoRepository> {
	const checked = gitAddress(remote);
	if ("problem" in checked) return { problem: redactAddresses(checked.problem) };
	const found = await findRepository(cwd);
	return "problem" in found ? found : new GitPersonsCheckout(found, checked.address, options);
}

class GitPersonsCheckout implements PersonsCheckout {
	readonly remote: GitRemote;
	private readonly found: FoundRepository;

	constructor(found: FoundRepository, address: string, options: RemoteOptions) {
		this.found = found;
		this.remote = new GitRemote({ root: found.top, commonDir: found.commonDir }, address, options);
	}

	async followBase(base: string, ignore: readonly string[]): Promise<FollowedBase> {
		const { top } = this.found;
		const on = await this.remote.baseCommit(base);
		if (on.result === "unreachable") return { result: "unreachable", message: on.message };
		if (on.result === "missing") return stays(`${this.remote.shown} has no branch ${base}`);
		const here = await tryGit(top, ["rev-parse", "--verify", "--quiet", `${branchRef(base)}^{commit}`]);
		if (here.code !== 0) return stays(`there is no branch ${base} here`);
		const from = here.stdout.toString("utf8").trim();
		if (await this.isWithin(on.commit, from)) return { result: "there", commit: from };
		if (!(await this.isWithin(from, on.commit))) return stays(`your ${base} has commits that ${this.remote.shown} does not have`);
		const head = await tryGit(top, ["symbolic-ref", "--quiet", "HEAD"]);
		if (head.stdout.toString("utf8").trim() !== branchRef(base)) return stays(`${base} is not checked out here`);
		const changed = await this.changed(ignore);
		if (changed.length > 0) return stays(`it has changes of yours (${changed.slice(0, 5).join(", ")}${changed.length > 5 ? ", …" : ""})`);
		const moved = await tryGit(top, ["merge", "--quiet", "--ff-only", "--no-verify", "--no-stat", on.commit]);
		if (moved.code !== 0) return stays(firstLines(moved.stderr));
		return { result: "moved", from, to: on.commit };
	}

	private async changed(ignore: readonly string[]): Promise<string[]> {
		const { top } = this.found;
		const listed = await git(top, ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=dirty"]);
		return listed.split("\0").flatMap((entry) => {
			const path = entry.slice(3);
			return path === "" || ignore.includes(`${top}/${path}`) ? [] : [path];
		});
	}

	private async isWithin(commit: string, of: string): Promise<boolean> {
		return (await tryGit(this.found.top, ["merge-base", "--is-ancestor", commit, of])).code === 0;
	}
}

const stays = (why: string): FollowedBase => ({ result: "stays", why });

const firstLines = (text: string): string => text.trim().split("\n").slice(0, 4).join(" ").replace(/\s+/g, " ");
