// The fields of a run that pawl itself reads. A workflow may have any others. Only this file knows these names, and they never change,
// because journals contain them.
import { branchName } from "./branch-name.ts";
import type { Definition } from "./definition.ts";
import type { RunState, Scope } from "./model.ts";
import { own } from "./query.ts";
import { renderTemplate } from "./template.ts";

type Fields = Readonly<Record<string, string>>;
type HasFields = Pick<RunState, "root">;

/** Where pawl keeps branches, tags and stashes of sessions that it took away again. */
export const KEPT_REFS = "refs/pawl/put-back";

const DELIVERED = "delivered";
const REQUEST_URL = "forge.url";
const REQUEST_FILE = "forge.file";
const SUMMARY_FILE = "summary_file";
const PUBLISHED = "published";

/** Fields that only pawl may set: reports and routes of a workflow cannot. */
export const isMark = (name: string): boolean => [DELIVERED, REQUEST_URL, REQUEST_FILE, SUMMARY_FILE, PUBLISHED].includes(name);

const read = ({ root }: HasFields, name: string): string | null => own(root.fields, name)?.trim() || null;

/** The last commit that the run made from its work; the next one goes on top of it. */
export const deliveredCommit = (state: HasFields): string | null => read(state, DELIVERED);
export const deliveredFact = (commit: string): Fields => ({ [DELIVERED]: commit });

/** The pull request that pawl opened, and where its text is. */
export const pullRequestUrl = (state: HasFields & Pick<RunState, "pullRequest">): string | null =>
	state.pullRequest?.url ?? read(state, REQUEST_URL);
export const pullRequestFile = (state: HasFields): string | null => read(state, REQUEST_FILE);
export const pullRequestFacts = (url: string, file: string): Fields => ({ [REQUEST_URL]: url, [REQUEST_FILE]: file });

/** A file for people with the results of the run. */
export const summaryFile = (state: HasFields): string | null => read(state, SUMMARY_FILE);
export const summaryFact = (file: string): Fields => ({ [SUMMARY_FILE]: file });

/** Where the work of a scope stands that several machines share: the commit that the last attempt there published, and from which another machine goes on. */
export const publishedCommit = (scope: Pick<Scope, "fields">): string | null => own(scope.fields, PUBLISHED)?.trim() || null;
export const publishedFact = (commit: string): Fields => ({ [PUBLISHED]: commit });

/** What agents whose reports are open say about the branch and the pull request. */
export const saidBranch = (state: HasFields): string | null => read(state, "branch");
export const wantedBranch = (state: HasFields): string | null => branchName(saidBranch(state) ?? "");
export const pullRequestTitle = (state: HasFields): string | null => read(state, "pr_title");
export const pullRequestBody = (state: HasFields): string | null => read(state, "pr_body");

/** How many iterations the loop of a workflow had before the run began, if the work was begun elsewhere. */
export function iterationsBefore({ types }: Pick<Definition, "types">, fields: Fields): number {
	const text = Object.values(types).find((type) => type.loop?.start?.iteration !== undefined)?.loop?.start?.iteration ?? "";
	const count = Number(renderTemplate(text, fields));
	return Number.isSafeInteger(count) && count > 0 ? count : 0;
}
