// Finds the receipt of a commit or of a story: from the journal, or, where the run was made elsewhere, from the note that came with the repository.
import { RUN_SCOPE } from "../../core/model.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { findRun, lookAt, openReader, stateOf } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { findRepository } from "../repository.ts";
import { commitsOfScope } from "./keep.ts";
import { receiptOf } from "./receipt.ts";
import { readNote, receiptText } from "./receipt-text.ts";

export interface FoundReceipt {
	readonly text: string;
	/** As `--json` prints it. */
	readonly receipt: unknown;
	/** `note`: nothing here can confirm it. */
	readonly from: "journal" | "note";
}

/** `what`: a commit, or a story of `run`, or of the latest run. */
export async function findReceipt(c: RunsContext, what: string | undefined, run: string | undefined): Promise<FoundReceipt> {
	const repository = await findRepository(c);
	if (run !== undefined) return ofStory(c, run, what ?? null);
	if (what !== undefined && (await isStory(c, repository, what))) return ofStory(c, undefined, what);
	return ofCommit(c, repository, what ?? "HEAD");
}

/** null: what the run made as a whole. */
function ofStory(c: RunsContext, run: string | undefined, story: string | null): Promise<FoundReceipt> {
	return lookAt(c, run, async ({ state, events, repository, store }) => {
		const scope = story ?? RUN_SCOPE;
		if (story !== null && !state.stories.some(({ id }) => id === story))
			throw new Refusal(
				"not_found",
				`run ${state.id} has no story ${story}; there are ${state.stories.map(({ id }) => id).join(", ") || "none"}`,
			);
		const receipt = receiptOf(state, events, scope, await commitsOfScope(repository, store, state, scope));
		return { text: receiptText(receipt), receipt, from: "journal" };
	});
}

async function isStory(c: RunsContext, repository: Repository, id: string): Promise<boolean> {
	const store = await openReader(c, repository.root);
	if (store === null) return false;
	try {
		const run = await findRun(c, repository, store, undefined, "repository").catch(() => null);
		return run !== null && stateOf(run.id, await store.events(run.id)).stories.some((story) => story.id === id);
	} finally {
		await store.close();
	}
}

async function ofCommit(c: RunsContext, repository: Repository, name: string): Promise<FoundReceipt> {
	const commit = await repository.findCommit(name);
	if (commit === null) throw new Refusal("not_found", `there is no commit and no story of the latest run that is called ${name}`);
	const note = readNote((await repository.notes([commit.sha])).get(commit.sha) ?? "");
	const run = note?.run ?? commit.run;
	const story = note === null ? commit.story : note.story;
	if (run !== null && (await isKnown(c, repository, run))) {
		const found = await ofStory(c, run, story);
		// Anybody can write a trailer or a note; the journal says which commits the run made.
		if ((found.receipt as { readonly commits: readonly string[] }).commits.includes(commit.sha)) return found;
	}
	if (note !== null) return { text: note.text, receipt: note.receipt, from: "note" };
	throw new Refusal(
		"not_found",
		`no run of pawl that is known here made the commit ${commit.sha.slice(0, 12)} (${commit.subject}). If it was made elsewhere, fetch the receipts: git fetch REMOTE refs/notes/pawl:refs/notes/pawl`,
	);
}

async function isKnown(c: RunsContext, repository: Repository, run: string): Promise<boolean> {
	const store = await openReader(c, repository.root);
	if (store === null) return false;
	try {
		return (await store.summary(run)) !== null;
	} finally {
		await store.close();
	}
}
