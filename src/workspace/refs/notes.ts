// Texts about commits, kept as notes of git under a ref of pawl's own. They travel with the repository: `git push origin refs/notes/pawl`.
import { WorkspaceError } from "../../workspace.ts";
import { git, tryGit } from "../git/git.ts";

export const NOTES_REF = "refs/notes/pawl";

const [FIELD, RECORD] = ["\x1f", "\x1e"];
/** How often another process may be faster. */
const TRIES = 5;

/** Commit → its note; without those that have none. */
export async function notesOf(root: string, commits: readonly string[]): Promise<ReadonlyMap<string, string>> {
	if (commits.length === 0) return new Map();
	const args = ["log", "--no-walk=unsorted", "--no-show-signature", "--no-color", "--encoding=UTF-8", "--no-notes", `--notes=${NOTES_REF}`];
	const log = await git(root, [...args, `--format=%H${FIELD}%N${RECORD}`, "--stdin"], { input: `${commits.join("\n")}\n` });
	return new Map(
		log.split(RECORD).flatMap((entry) => {
			const [commit = "", note = ""] = entry.trim().split(FIELD);
			return note.trim() === "" ? [] : [[commit, note.trim()] as const];
		}),
	);
}

/** All of them in one commit of the ref; those that are there already are replaced. */
export async function addNotes(root: string, notes: ReadonlyMap<string, string>, at: number): Promise<void> {
	for (let turn = 1; notes.size > 0; turn++) {
		const before = await tryGit(root, ["rev-parse", "--verify", "--quiet", `${NOTES_REF}^{commit}`]);
		const from = before.code === 0 ? `from ${before.stdout.toString("utf8").trim()}\n` : "";
		const added = await tryGit(root, ["fast-import", "--quiet", "--done"], { input: streamOf(notes, from, at) });
		if (added.code === 0) return;
		if (turn === TRIES) throw new WorkspaceError(`git fast-import failed on ${NOTES_REF}: ${added.stderr.trim().slice(0, 500)}`);
	}
}

function streamOf(notes: ReadonlyMap<string, string>, from: string, at: number): string {
	const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
	const message = notes.size === 1 ? "pawl: a receipt\n" : `pawl: ${notes.size} receipts\n`;
	const head = `commit ${NOTES_REF}\ncommitter pawl <pawl@localhost> ${Math.floor(at / 1000)} +0000\n${data(message)}${from}`;
	return `${head}${[...notes].map(([commit, text]) => `N inline ${commit}\n${data(`${text.trim()}\n`)}`).join("")}done\n`;
}
