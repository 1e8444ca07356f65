// Puts back what a session did to refs that are not its own. Keeps what it removes under `refs/pawl/put-back/` first.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { RefChange } from "../../workspace.ts";
import { replaceFile } from "../guard/guarded-file.ts";
import { keepWork } from "./backup.ts";
import type { Case, Difference, RefJudge } from "./judge.ts";
import { backupRef } from "./names.ts";
import { linkedCheckouts, stashLog } from "./noted.ts";
import { type Git, remainingOf } from "./remaining.ts";
import { PUT_BACK, setRef } from "./set-ref.ts";

const KEPT = "refs/pawl/put-back";
const TURNS = 20;
const PAUSE_MS = 250;

/** `judge` has found these differences; changes that are not surely the session's are only reported. */
export async function putRefsBack(c: Case, judge: RefJudge, differences: readonly Difference[]): Promise<RefChange[]> {
	const changes: RefChange[] = [];
	// Checkouts first: a branch that is checked out cannot be removed.
	for (const difference of differences.toSorted((a, b) => a.kind.localeCompare(b.kind))) {
		const { kind, name, from, to, whose } = difference;
		const what = { what: wordsFor(difference), change: changeOf(from, to) };
		if (whose !== "session") changes.push({ ...what, by: "unclear", kept: null, putBack: false });
		else {
			const done = await (kind === "ref"
				? putRef(c, judge, name, from, to)
				: kind === "stash"
					? putStash(c, judge)
					: putCheckout(c, name, from));
			changes.push({ ...what, by: "session", ...done });
		}
	}
	return changes;
}

type Done = Pick<RefChange, "kept" | "putBack">;

async function putRef(c: Case, judge: RefJudge, ref: string, from: string | null, to: string | null): Promise<Done> {
	const { git, site } = c;
	const kept = to === null ? null : await keepRef(git, ref, to);
	if (from === null) return { kept, putBack: (await git.try(["update-ref", "-m", PUT_BACK, "-d", ref, to ?? ""])).code === 0 };
	if (to === null) return { kept, putBack: (await git.try(["update-ref", "-m", PUT_BACK, ref, from, ""])).code === 0 };
	let current = to;
	for (let turn = 1; ; turn++) {
		const target = await without(c, judge, ref, from, current);
		if (target === "conflict") return { kept, putBack: false };
		if (target === current) return { kept, putBack: true };
		if (await setRef(git, site, { ref, from: current, to: target })) return { kept, putBack: true };
		if (turn === TURNS) return { kept, putBack: false };
		// Somebody was faster, or is about to commit there: what they did is looked at anew.
		await wait(PAUSE_MS);
		const now = await git.try(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
		if (now.code !== 0) return { kept, putBack: false };
		current = now.stdout.toString("utf8").trim();
	}
}

/** Where the ref belongs without the session's moves, but with the commits of others. */
async function without(c: Case, judge: RefJudge, ref: string, from: string, to: string): Promise<string | "conflict"> {
	const log = judge.movesOf(ref, from, to);
	// Without a log, no one else is known to have moved it.
	if (log === null || !ref.startsWith("refs/heads/")) return from;
	if (log.settled) return to;
	// A command that names the ref was the session's, even if its time does not fit. Of several moves nobody knows which one it made, and one that git
	// logged for pawl was not the session's.
	if (log.made.size === 0 && (log.moves.length > 1 || log.moves.some(({ why }) => why.startsWith("pawl: ")))) return "conflict";
	const made = log.made.size === 0 ? new Set(log.moves) : log.made;
	const left = await remainingOf(c.git, from, log.moves, (move) => made.has(move));
	if ("conflict" in left) return "conflict";
	if (left.exact !== null) return left.exact;
	return c.git.run(["commit-tree", left.tree, "-p", left.last ?? from, "-F", "-"], {
		input: `pawl: take out what a session put on ${ref.slice("refs/heads/".length)}\n`,
	});
}

/** The log of the stash is the stash. */
async function putStash(c: Case, judge: RefJudge): Promise<Done> {
	const { git, site, noted, now } = c;
	const idIn = (line: string): string => line.split(" ")[1] ?? "";
	const known = new Set(noted.stash.map(idIn));
	const added = now.stash.filter((line) => !known.has(idIn(line)));
	let kept: string | null = null;
	for (const line of judge.commands.pushesStash ? added : []) kept = await keepRef(git, "refs/stash", idIn(line));
	// What somebody else added meanwhile stays on top.
	const lines = [...noted.stash, ...(judge.commands.pushesStash ? [] : added)];
	const top = lines.at(-1);
	if (top === undefined) return { kept, putBack: (await git.try(["update-ref", "-d", "refs/stash"])).code === 0 };
	const set = await git.try(["update-ref", "--create-reflog", "-m", PUT_BACK, "refs/stash", idIn(top)]);
	if (set.code !== 0) return { kept, putBack: false };
	let before = "0".repeat(idIn(top).length);
	const text = lines.map((line) => {
		const linked = `${before}${line.slice(line.indexOf(" "))}\n`;
		before = idIn(line);
		return linked;
	});
	mkdirSync(dirname(stashLog(site.commonDir)), { recursive: true });
	replaceFile(stashLog(site.commonDir), text.join(""));
	return { kept, putBack: true };
}

/** Removes a new checkout, but keeps its work; switches a switched one back. A removed checkout cannot be restored. */
async function putCheckout({ git, site, now }: Case, path: string, from: string | null): Promise<Done> {
	const admin = linkedCheckouts(site.commonDir).find((one) => one.path === path)?.admin;
	if (from === null) {
		if (admin === undefined) return { kept: null, putBack: true };
		const head = now.heads[path] ?? "";
		const detached = /^[0-9a-f]{40,64}$/.test(head) ? await keepRef(git, "refs/detached", head) : null;
		const work = await keepWork(path, admin, "put-back").catch(() => null);
		const kept = work === null ? detached : backupRef("put-back", work);
		const removed = await git.try(["worktree", "remove", "--force", "--force", path]);
		return { kept, putBack: removed.code === 0 };
	}
	const there = path === site.root || admin !== undefined;
	if (!there) return { kept: null, putBack: false };
	const branch = /^ref: refs\/heads\/(.+)$/.exec(from)?.[1];
	const target = branch === undefined ? ["--detach", from] : [branch];
	const where = { GIT_DIR: admin ?? site.commonDir, GIT_WORK_TREE: path };
	// git refuses if that would overwrite somebody's changes.
	const switched = await git.try(["-C", path, "checkout", "-q", ...target, "--"], {
		env: where,
		index: `${admin ?? site.commonDir}/index`,
	});
	return { kept: null, putBack: switched.code === 0 };
}

/** The name under which it is kept. */
export async function keepRef(git: Git, ref: string, id: string): Promise<string> {
	const name = `${KEPT}/${ref.slice("refs/".length)}/${id.slice(0, 16)}`;
	await git.run(["update-ref", "-m", PUT_BACK, name, id]);
	return name;
}

function wordsFor({ kind, name }: Difference): string {
	if (kind === "stash") return "the stash";
	if (kind === "checkout") return `the checkout ${name}`;
	const [, space, short] = /^refs\/(heads|tags)\/(.+)$/.exec(name) ?? [];
	return space === undefined ? name : `${space === "heads" ? "branch" : "tag"} ${short}`;
}

const changeOf = (from: string | null, to: string | null): RefChange["change"] =>
	from === null ? "made" : to === null ? "deleted" : "moved";
