// Finds the receipt of a commit or of a story: from the journal, or, where the run was made elsewhere, from the note that came with the repository.
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import type { Store } from "../../store.ts";
import { type Repository, WorkspaceError } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { deliveryOf } from "../look/delivery.ts";
import { findRun, lookAt, openReader, stateOf } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { findRepository } from "../repository.ts";
import { commitsOfScope, keepReceipts } from "./keep.ts";
import { receiptOf } from "./receipt.ts";
import { readNote, receiptText } from "./receipt-text.ts";
import { scopesOf } from "./whose-commit.ts";

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
	if (run !== undefined) return ofStory(c, repository, run, what ?? null);
	if (what !== undefined && (await isStory(c, repository, what))) return ofStory(c, repository, undefined, what);
	return ofCommit(c, repository, what ?? "HEAD");
}

/** null: what the run made as a whole. */
function ofStory(c: RunsContext, repository: Repository, run: string | undefined, story: string | null): Promise<FoundReceipt> {
	return lookAt(c, run, async ({ state, events, store }) => {
		const scope = story ?? RUN_SCOPE;
		if (story !== null && !state.stories.some(({ id }) => id === story))
			throw new Refusal(
				"not_found",
				`run ${state.id} has no story ${story}; there are ${state.stories.map(({ id }) => id).join(", ") || "none"}`,
			);
		const receipt = receiptOf(state, events, scope, await commitsOfScope(repository, store, state, scope));
		if (isOver(state.status)) await keep(c, repository, store, state);
		return { text: receiptText(receipt), receipt, from: "journal" };
	});
}

/** What is shown is also kept with the commits, so that it can travel. Whoever may not write here still sees it. */
async function keep(c: RunsContext, repository: Repository, store: Store, state: RunState): Promise<void> {
	try {
		await keepReceipts(repository, store, state, c.now());
	} catch (error) {
		if (!(error instanceof WorkspaceError)) throw error;
		c.warn(`the receipts could not be kept as notes: ${error.message}`);
	}
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
	// Anybody can write a trailer or a note; the journal says which commits a run made.
	const made = await madeBy(c, repository, commit.sha, note?.run ?? commit.run);
	if (made !== null) return ofStory(c, repository, made.run, made.scope === RUN_SCOPE ? null : made.scope);
	if (note !== null) return { text: note.text, receipt: note.receipt, from: "note" };
	throw new Refusal(
		"not_found",
		`no run of pawl that is known here made the commit ${commit.sha.slice(0, 12)} (${commit.subject}). If it was made elsewhere, fetch the receipts: git fetch REMOTE refs/notes/pawl:refs/notes/pawl`,
	);
}

/** Commits in the user's own tree have no trailers: then the latest runs are looked at. */
const MOST_RUNS = 20;

/** The run, and the story, that made a commit; null: none that is known here. `said`: the run that the commit names. */
async function madeBy(
	c: RunsContext,
	repository: Repository,
	sha: string,
	said: string | null,
): Promise<{ readonly run: string; readonly scope: string } | null> {
	const store = await openReader(c, repository.root);
	if (store === null) return null;
	try {
		const runs = said === null ? (await store.runs({ limit: MOST_RUNS })).map(({ id }) => id) : [said];
		for (const run of runs) {
			const events = await store.events(run);
			if (events.length === 0) continue;
			const state = stateOf(run, events);
			const commits = (await deliveryOf(repository, events, state)).commits.map((commit) => commit.sha);
			const scope = scopesOf(state, events, commits).get(sha);
			if (scope !== undefined) return { run, scope };
		}
		return null;
	} finally {
		await store.close();
	}
}
