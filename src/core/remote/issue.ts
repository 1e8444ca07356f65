// Issues of a forge, as they are read. Types only.

export interface ForgeComment {
	readonly author: string;
	readonly text: string;
}

/** An issue that somebody wrote. Its texts are not to be trusted. */
export interface ForgeIssue {
	readonly number: number;
	readonly title: string;
	readonly text: string;
	readonly url: string;
	readonly author: string;
	readonly isOpen: boolean;
	/** Oldest first; of many, the newest. */
	readonly comments: readonly ForgeComment[];
}

/** Which issues; each part narrows it. */
export interface IssueQuery {
	readonly labels: readonly string[];
	readonly milestone?: string;
	readonly author?: string;
	readonly assignee?: string;
	/** Words in title or text. */
	readonly words: string;
}

export interface IssueSource {
	readonly name: string;
	/** An issue with its comments. */
	readIssue?(cwd: string, number: number): Promise<{ readonly issue: ForgeIssue } | { readonly problem: string }>;
	/** The open issues that fit, oldest first, with their comments; at most so many. */
	listIssues?(
		cwd: string,
		query: IssueQuery,
		most: number,
	): Promise<{ readonly issues: readonly ForgeIssue[]; readonly left: number } | { readonly problem: string }>;
}

/** Where the issues of a repository are. */
export interface ReachedIssues {
	readonly forge: IssueSource;
	/** A folder of the repository. */
	readonly cwd: string;
	/** Which repository of which host it is. */
	readonly project: string;
}
