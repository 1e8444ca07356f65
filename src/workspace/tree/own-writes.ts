// Files in the user's checkout that pawl itself changed, such as the `passes` of a PRD that is in git. While a run works in that checkout,
// git overlooks these changes (skip-worktree): no step commits them and no rollback takes them away. Afterwards git shows them again. What was
// hidden is written down first, so that it is shown again also after a crash.
import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { writeWhole } from "../../files/write.ts";
import { git } from "../git/git.ts";

interface Checkout {
	readonly path: string;
	readonly gitDir: string;
}

const noteOf = ({ gitDir }: Checkout): string => join(gitDir, "pawl", "hidden.json");

/** Absolute paths; hides those that git knows and that differ from its index. */
export async function hideOwnWrites(checkout: Checkout, files: readonly string[]): Promise<void> {
	await showOwnWrites(checkout);
	const inside = files.map((file) => relative(checkout.path, file)).filter((path) => path !== "" && !path.startsWith(".."));
	if (inside.length === 0) return;
	const args = ["--literal-pathspecs", "diff-files", "--name-only", "-z", "--", ...inside];
	const changed = (await git(checkout.path, args)).split("\0").filter((path) => path !== "");
	if (changed.length === 0) return;
	await mkdir(dirname(noteOf(checkout)), { recursive: true });
	await writeWhole(noteOf(checkout), JSON.stringify(changed), { durable: true });
	await flag(checkout, "--skip-worktree", changed);
}

export async function showOwnWrites(checkout: Checkout): Promise<void> {
	const text = await readFile(noteOf(checkout), "utf8").catch(() => null);
	if (text === null) return;
	const hidden: unknown = parsed(text);
	if (Array.isArray(hidden))
		await flag(
			checkout,
			"--no-skip-worktree",
			hidden.filter((path) => typeof path === "string"),
		);
	await rm(noteOf(checkout), { force: true });
}

async function flag({ path }: Checkout, how: string, paths: readonly string[]): Promise<void> {
	const known = new Set((await git(path, ["--literal-pathspecs", "ls-files", "-z", "--", ...paths])).split("\0"));
	const input = paths.filter((one) => known.has(one)).map((one) => `${one}\0`);
	if (input.length > 0) await git(path, ["update-index", how, "-z", "--stdin"], { input: input.join("") });
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
