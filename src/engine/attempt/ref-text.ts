// What a session or a check did to refs that are not its own, in words for people.
import { KEPT_REFS } from "../../core/mark.ts";
import type { Changes } from "../../workspace.ts";

/** In a loop a role has the turn, and what is said of it begins with its name. */
export const nameIn = ({ type }: { readonly type: { readonly kind: string; readonly name: string } }): string =>
	type.kind === "loop" ? "it" : type.name;

/** A session may add to the branch that it works on, and nothing else. `branch`: the one that it works on. */
export function foreignRefs(name: string, refs: Changes["refs"], branch?: string): string | null {
	const all = refs.filter(({ by }) => by === "session");
	const isOwn = ({ what, change }: (typeof refs)[number]): boolean => change === "moved" && what === `branch ${branch}`;
	const others = othersText(
		name,
		all.filter((one) => !isOwn(one)),
	);
	// Its route puts that back, with the rest of its work.
	const rewrote = all.some(isOwn)
		? `${name} rewrote commits of branch ${branch} that were there before it began (amend, rebase or reset): only add commits`
		: null;
	return [rewrote, others].filter((text) => text !== null).join("; ") || null;
}

function othersText(name: string, done: Changes["refs"]): string | null {
	if (done.length === 0) return null;
	const left = done.filter(({ putBack }) => !putBack).map(({ what }) => what);
	const kept = done.some((one) => one.kept !== null) ? `; what it made is kept under ${KEPT_REFS}` : "";
	const then = left.length === 0 ? "put back" : `put back, but not ${left.join(", ")}`;
	return `${name} may move its own branch only, but ${changesText(done)}: ${then}${kept}`;
}

/** Changes of refs that the session or a person may have made: a person has to decide. */
export function unclearRefs({ refs }: Changes): string | null {
	const open = refs.filter(({ by }) => by === "unclear");
	if (open.length === 0) return null;
	return `while it ran, somebody ${changesText(open)}, and pawl cannot tell whether that was the session. Nothing was put back`;
}

/** `deleted branch x, tag y; moved the stash`. */
const changesText = (refs: Changes["refs"]): string =>
	(["deleted", "made", "moved"] as const)
		.map((change) => [change, refs.filter((one) => one.change === change).map(({ what }) => what)] as const)
		.filter(([, whats]) => whats.length > 0)
		.map(([change, whats]) => `${change} ${whats.join(", ")}`)
		.join("; ");
