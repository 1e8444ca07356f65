// What a session or a check did to refs that are not its own, in words for people.
import type { Changes } from "../../workspace.ts";

/** A session may move the branch that it works on, and nothing else. */
export function foreignRefs(name: string, refs: Changes["refs"]): string | null {
	const done = refs.filter(({ by }) => by === "session");
	if (done.length === 0) return null;
	const left = done.filter(({ putBack }) => !putBack).map(({ what }) => what);
	const kept = done.some((one) => one.kept !== null) ? "; what it made is kept under refs/pawl/put-back" : "";
	const then = left.length === 0 ? "put back" : `put back, but not ${left.join(", ")}`;
	return `${name} may move its own branch only, but ${changesText(done)}: ${then}${kept}`;
}

/** Changes of refs that the session or a person may have made: a person has to decide. */
export function unclearRefs({ refs }: Changes): string | null {
	const open = refs.filter(({ by }) => by === "unclear");
	if (open.length === 0) return null;
	return `while it ran, somebody ${changesText(open)}, and it cannot be told whether that was the session. Nothing was put back`;
}

/** `deleted branch x, tag y; moved the stash`. */
const changesText = (refs: Changes["refs"]): string =>
	(["deleted", "made", "moved"] as const)
		.map((change) => [change, refs.filter((one) => one.change === change).map(({ what }) => what)] as const)
		.filter(([, whats]) => whats.length > 0)
		.map(([change, whats]) => `${change} ${whats.join(", ")}`)
		.join("; ");
