// The forge contract: where a pushed branch becomes a pull request, and where issues come from. A forge that is not installed, or that the user is not
// logged in to, says what to do about that; whatever cannot be done is a value with the reason.

import type { IssueSource } from "./core/remote/issue.ts";

export interface PullRequest {
	/** A folder of the repository. */
	readonly cwd: string;
	readonly branch: string;
	readonly base: string;
	readonly title: string;
	/** A file that holds the text. */
	readonly bodyFile: string;
}

export interface Issue {
	readonly cwd: string;
	readonly title: string;
	readonly bodyFile: string;
}

export type Opened = { readonly url: string } | { readonly problem: string };

export type RequestState = "open" | "merged" | "closed";

export interface Forge extends IssueSource {
	/** Whether a remote at this address is one of its own; null: its address does not say. */
	serves(remoteUrl: string): boolean | null;
	/** Why it cannot be used for the remote at this address, and what to do about it; null: it can. */
	problem(cwd: string, remoteUrl: string): Promise<string | null>;
	/** Opens it, or finds the one that is already open for the branch: safe to repeat. */
	open(request: PullRequest): Promise<Opened>;
	/** Opens an issue, or finds the one with this title: safe to repeat. Absent if the forge has no issues. */
	issue?(request: Issue): Promise<Opened>;
	/** Comments on an issue, or finds the comment that has this mark in it: safe to repeat. */
	comment?(cwd: string, number: number, mark: string, textFile: string): Promise<Opened>;
	/** What became of a pull request; null if nobody knows. */
	requestState?(cwd: string, url: string): Promise<RequestState | null>;
}
