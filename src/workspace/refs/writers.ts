// Which refs a git command may have written, according to its arguments.

export interface Written {
	/** Names of refs, as they were given: `main`, `refs/tags/x`. */
	readonly names: readonly string[];
	/** HEAD of the checkout that it ran in, and the branch that HEAD is on. */
	readonly head?: boolean;
	readonly stash?: boolean;
	/** It makes, moves or removes checkouts. */
	readonly worktrees?: boolean;
	/** It may have written anything, depending on its input. */
	readonly any?: boolean;
}

const NOTHING: Written = { names: [] };
const ANY: Written = { names: [], any: true };

export function writtenBy([name = "", ...args]: readonly string[]): Written {
	const words = positional(args, VALUED[name]);
	switch (name) {
		case "commit":
		case "merge":
		case "cherry-pick":
		case "revert":
		case "am":
		case "reset":
		case "bisect":
			return { names: [], head: true };
		case "pull":
			return { names: destinations(words.slice(1)), head: true };
		// `git rebase UPSTREAM BRANCH` switches to the branch first.
		case "rebase":
			return { names: words.slice(1), head: true };
		case "checkout":
		case "switch":
			return { names: valuesOf(args, /^(?:-[bBcC]|--create|--force-create|--orphan)$/), head: true };
		case "branch":
			return branch(args, words);
		case "tag":
			return isListing(args) ? NOTHING : { names: args.some((arg) => /^(?:-d|--delete)$/.test(arg)) ? words : words.slice(0, 1) };
		case "update-ref":
			return args.includes("--stdin") ? ANY : { names: words.slice(0, 1), head: words[0] === "HEAD" };
		case "symbolic-ref":
			return { names: words.slice(0, 1), head: words[0] === "HEAD" };
		case "stash":
			return stash(words);
		case "fetch":
			return { names: destinations(words.slice(1)) };
		case "push":
			return push(args, words);
		case "worktree":
			return /^(?:list|lock|unlock|repair)$/.test(words[0] ?? "list") ? NOTHING : { names: valuesOf(args, /^-[bB]$/), worktrees: true };
		case "notes":
			return /^(?:list|show|get-ref)$/.test(words[0] ?? "list") ? NOTHING : { names: ["refs/notes/commits", ...valuesOf(args, /^--ref$/)] };
		case "reflog":
			return /^(?:expire|delete)$/.test(words[0] ?? "") ? ANY : NOTHING;
		case "replace":
		case "fast-import":
		case "filter-branch":
		case "filter-repo":
		case "receive-pack":
		case "svn":
		case "p4":
		case "subtree":
			return ANY;
		default:
			return NOTHING;
	}
}

/** Whether a name in a command means this ref. */
export function means(name: string, ref: string): boolean {
	const plain = name.replace(/^\+/, "");
	return ["", "refs/", "refs/heads/", "refs/tags/", "refs/notes/"].some((prefix) => `${prefix}${plain}` === ref);
}

/** All names of a deletion or renaming; otherwise the second name is the starting point. */
function branch(args: readonly string[], words: readonly string[]): Written {
	if (isListing(args)) return NOTHING;
	const head = args.some((arg) => /^(?:-[mMcC]|--move|--copy)$/.test(arg));
	return head || args.some((arg) => /^(?:-[dD]|--delete)$/.test(arg)) ? { names: words, head } : { names: words.slice(0, 1) };
}

/** A push to another repository writes nothing here. */
function push(args: readonly string[], [remote = "", ...refspecs]: readonly string[]): Written {
	if (!/^[./]|^file:/.test(remote)) return NOTHING;
	return args.some((arg) => /^--(?:all|mirror|tags|branches)$/.test(arg)) ? ANY : { names: refspecs.map(destination) };
}

function stash(words: readonly string[]): Written {
	const [what = "push"] = words;
	if (/^(?:list|show|create|apply)$/.test(what)) return NOTHING;
	return what === "branch" ? { names: words.slice(1, 2), head: true, stash: true } : { names: [], stash: true };
}

function isListing(args: readonly string[]): boolean {
	const writes = args.some((arg) =>
		/^(?:-[dDmMcCfu]|--(?:delete|move|copy|force|edit-description|set-upstream-to.*|unset-upstream))$/.test(arg),
	);
	const lists = args.some((arg) =>
		/^(?:-l|-a|-r|-v+|--(?:list|all|remotes|show-current|contains|no-contains|merged|no-merged|points-at).*)$/.test(arg),
	);
	return !writes && lists;
}

/** Options that are followed by a value. */
const VALUED: Readonly<Record<string, RegExp>> = {
	rebase: /^(?:--onto|-s|--strategy|-X|--strategy-option|-x|--exec|-C|--whitespace)$/,
	tag: /^(?:-m|--message|-F|--file|-u|--local-user|--cleanup|-n)$/,
	branch: /^(?:-u|--set-upstream-to|--sort|--format|--contains|--no-contains|--merged|--no-merged|--points-at)$/,
	"update-ref": /^-m$/,
	"symbolic-ref": /^-m$/,
	push: /^(?:-o|--push-option|--receive-pack|--exec|--repo)$/,
	fetch: /^(?:-o|--server-option|--depth|--deepen|--shallow-since|--shallow-exclude|-j|--jobs|--upload-pack|--refmap|--filter)$/,
	stash: /^(?:-m|--message)$/,
	worktree: /^(?:-[bB]|--reason|--orphan)$/,
	notes: /^(?:-m|-F|-C|-c|--ref)$/,
};

const positional = (args: readonly string[], valued = /(?!)/): string[] =>
	args.filter((arg, at) => !arg.startsWith("-") && !valued.test(args[at - 1] ?? ""));

/** `--name value` and `--name=value`. */
const valuesOf = (args: readonly string[], option: RegExp): string[] =>
	args
		.flatMap((arg, at) => {
			const [name = "", ...rest] = arg.split("=");
			if (!option.test(name)) return [];
			return [rest.length > 0 ? rest.join("=") : (args[at + 1] ?? "")];
		})
		.filter((value) => value !== "");

const destination = (refspec: string): string => refspec.slice(refspec.indexOf(":") + 1);

const destinations = (refspecs: readonly string[]): string[] => refspecs.filter((refspec) => refspec.includes(":")).map(destination);
