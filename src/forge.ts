// The forge contract: where a pushed branch becomes a pull request. A forge that is not installed, or that the user is not logged in to,
// is not ready; a pull request that cannot be opened is a value with the reason.

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

export interface Forge {
	readonly name: string;
	/** Whether it can be used for the remote at this address. */
	ready(cwd: string, remoteUrl: string): Promise<boolean>;
	/** Opens it, or finds the one that is already open for the branch: safe to repeat. */
	open(request: PullRequest): Promise<{ readonly url: string } | { readonly problem: string }>;
	/** Opens an issue, or finds the one with this title: safe to repeat. Absent if the forge has no issues. */
	issue?(request: Issue): Promise<{ readonly url: string } | { readonly problem: string }>;
}
