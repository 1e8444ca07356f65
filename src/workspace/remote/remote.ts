// The shared repository, over git. After a push that failed it looks what is there: the connection may have been cut after the server took it.

import type {
	AttemptName,
	BaseMoved,
	BaseOnRemote,
	Obtained,
	Published,
	RefOnRemote,
	RefsRemoved,
	Remote,
	RunRefs,
	Unreachable,
} from "../../remote.ts";
import { type GitResult, git, tryGit } from "../git/git.ts";
import { withMoveLock } from "../git/lock.ts";
import type { RepositoryPaths } from "../refs/base-checkouts.ts";
import { attemptRef, branchRef, checkCommit, obtainedRef, remoteBaseRef, runOfRef } from "./names.ts";
import { Network, type NetworkResult } from "./network.ts";

const PUSH = ["push", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--no-recurse-submodules"];
const FETCH = ["fetch", "--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules"];

/** A command line holds no more than so much. */
const REFS_AT_ONCE = 100;

type Refs = ReadonlyMap<string, string>;

/** How a push ended: git says that it arrived; or what the refs that are there now say about it; or the server did not want it. */
type Pushed<T> = { readonly arrived: true } | { readonly judged: T } | { readonly refused: string } | Unreachable;

export interface RemoteOptions {
	/** How long to wait before each new try when the network is away. */
	readonly waitsMs?: readonly number[];
}

export class GitRemote implements Remote {
	private readonly network: Network;
	private readonly clone: RepositoryPaths;

	/** `address`: as `gitAddress` has let it through. */
	constructor(clone: RepositoryPaths, address: string, options: RemoteOptions = {}) {
		this.clone = clone;
		this.network = new Network(clone.root, address, options.waitsMs);
	}

	get shown(): string {
		return this.network.shown;
	}

	async publish(commit: string, name: AttemptName): Promise<Published> {
		const [ref, id] = [attemptRef(name), checkCommit(commit)];
		const pushed = await this.push<Published>([`--force-with-lease=${ref}:`], [`${id}:${ref}`], [ref], async (there) => {
			const now = there.get(ref);
			if (now === undefined) return null;
			return now === id ? { result: "published", ref } : { result: "taken", ref, commit: now };
		});
		if ("arrived" in pushed) return { result: "published", ref };
		if ("judged" in pushed) return pushed.judged;
		return "refused" in pushed ? { result: "refused", message: pushed.refused } : pushed;
	}

	async obtain(commit: string, ref?: string): Promise<Obtained> {
		const id = checkCommit(commit);
		if (await this.has(id)) return { result: "here" };
		let last: NetworkResult | null = null;
		// Not every server gives out a commit by its id.
		for (const wanted of [...(ref === undefined ? [] : [ref]), id]) {
			last = await this.network.patiently([...FETCH, "--end-of-options", this.network.address, wanted]);
			// Whatever the ref has become: only the commit counts.
			if (last.code === 0 && (await this.has(id))) {
				await git(this.clone.root, ["update-ref", "-m", "pawl: obtained", obtainedRef(id), id]);
				return { result: "here" };
			}
			if (last.code !== 0 && !isAnswer(last)) return unreachable(last.said);
		}
		return { result: "gone", message: last?.said || `${this.shown} has no commit ${id}` };
	}

	async baseCommit(base: string): Promise<BaseOnRemote> {
		const [from, to] = [branchRef(base), remoteBaseRef(base)];
		return withMoveLock(this.clone.commonDir, to, async () => {
			// With a log, like that of a branch: it says what base once was (merge/story-start.ts).
			const args = ["-c", "core.logAllRefUpdates=always", ...FETCH, "--end-of-options", this.network.address, `+${from}:${to}`];
			const fetched = await this.network.patiently(args);
			if (fetched.code === 0) return { result: "found", commit: await git(this.clone.root, ["rev-parse", "--verify", `${to}^{commit}`]) };
			return /couldn't find remote ref/i.test(fetched.said) ? { result: "missing" } : unreachable(fetched.said);
		});
	}

	async moveBase(base: string, from: string, to: string, refs: readonly RefOnRemote[]): Promise<BaseMoved> {
		const ref = branchRef(base);
		for (const commit of [from, to, ...refs.map((one) => one.commit)]) checkCommit(commit);
		const leases = [`--force-with-lease=${ref}:${from}`, ...refs.map((one) => `--force-with-lease=${one.ref}:`)];
		const specs = [`${to}:${ref}`, ...refs.map((one) => `${one.commit}:${one.ref}`)];
		const pushed = await this.push<BaseMoved>(["--atomic", ...leases], specs, [ref, ...refs.map((one) => one.ref)], (there) =>
			this.judgeMove(ref, from, to, refs, there),
		);
		if ("arrived" in pushed) return { result: "moved" };
		if ("judged" in pushed) return pushed.judged;
		return "refused" in pushed ? { result: "protected", message: pushed.refused } : pushed;
	}

	async runRefs(): Promise<RunRefs> {
		const listed = await this.network.patiently(["ls-remote", "--quiet", "--end-of-options", this.network.address, "refs/pawl/*"]);
		if (listed.code !== 0) return unreachable(listed.said);
		const refs = listed.stdout.split("\n").flatMap((line) => {
			const [commit = "", ref = ""] = line.split("\t");
			const run = runOfRef(ref);
			return run === null ? [] : [{ run, ref, commit: checkCommit(commit) }];
		});
		return { result: "found", refs };
	}

	async removeRefs(refs: readonly RefOnRemote[]): Promise<RefsRemoved> {
		for (let at = 0; at < refs.length; at += REFS_AT_ONCE) {
			const some = refs.slice(at, at + REFS_AT_ONCE);
			const leases = some.map(({ ref, commit }) => `--force-with-lease=${ref}:${checkCommit(commit)}`);
			const names = some.map(({ ref }) => ref);
			// Somebody else may have removed some of them: that is fine.
			const judge = async (there: Refs): Promise<RefsRemoved | null> =>
				some.some(({ ref, commit }) => there.get(ref) === commit) ? null : { result: "removed" };
			const specs = names.map((ref) => `:${ref}`);
			const pushed = await this.push<RefsRemoved>(leases, specs, names, judge);
			if ("arrived" in pushed || "judged" in pushed) continue;
			return "refused" in pushed ? { result: "refused", message: pushed.refused } : pushed;
		}
		return { result: "removed" };
	}

	/** The refs of these names that the remote has. */
	async at(refs: readonly string[]): Promise<Refs | Unreachable> {
		const listed = await this.network.patiently(["ls-remote", "--quiet", "--end-of-options", this.network.address, ...refs]);
		if (listed.code !== 0) return unreachable(listed.said);
		const all = listed.stdout.split("\n").map((line) => line.split("\t"));
		// git takes a name as the end of a longer one, too.
		return new Map(all.flatMap(([commit = "", ref = ""]) => (refs.includes(ref) ? [[ref, commit] as const] : [])));
	}

	/** null: nothing has happened yet. */
	private async judgeMove(ref: string, from: string, to: string, refs: readonly RefOnRemote[], there: Refs): Promise<BaseMoved | null> {
		// Made together with the move, and by nothing else. A person may have taken the commit off base again since: then it is not brought back.
		if (refs.length > 0 && refs.every((one) => there.get(one.ref) === one.commit)) return { result: "moved" };
		const now = there.get(ref);
		if (now === undefined) return { result: "moved-meanwhile", commit: null };
		if (now === to) return { result: "moved" };
		if (now === from) return null;
		const obtained = await this.obtain(now, ref);
		if (obtained.result === "unreachable") return obtained;
		return obtained.result === "here" && (await this.isWithin(to, now)) ? { result: "moved" } : { result: "moved-meanwhile", commit: now };
	}

	private push<T>(
		options: readonly string[],
		specs: readonly string[],
		refs: readonly string[],
		judge: (there: Refs) => Promise<T | null>,
	): Promise<Pushed<T>> {
		const once = async (): Promise<Pushed<T> & { readonly open?: boolean }> => {
			const pushed = await this.network.once([...PUSH, ...options, "--end-of-options", this.network.address, ...specs]);
			if (pushed.code === 0) return { arrived: true };
			const there = await this.at(refs);
			if ("result" in there) return there;
			const judged = await judge(there);
			if (judged !== null) return { judged };
			return pushed.transient ? { ...unreachable(pushed.said), open: true } : { refused: pushed.said };
		};
		return this.network.again(once, (result) => "open" in result);
	}

	/** With everything that belongs to it: a fetch that was killed may have left a commit without its files. */
	private async has(commit: string): Promise<boolean> {
		return (await this.ask(["rev-list", "--objects", "--quiet", commit, "--not", "--all"])).code === 0;
	}

	private async isWithin(commit: string, of: string): Promise<boolean> {
		return (await this.ask(["merge-base", "--is-ancestor", commit, of])).code === 0;
	}

	private ask(args: readonly string[]): Promise<GitResult> {
		return tryGit(this.clone.root, args);
	}
}

const unreachable = (message: string): Unreachable => ({ result: "unreachable", message });

/** The server has answered, and has not what was asked for. */
const isAnswer = ({ said }: NetworkResult): boolean =>
	/couldn't find remote ref|not our ref|unadvertised object|no such remote ref|bad object/i.test(said);
