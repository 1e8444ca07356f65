// What pawl has left at a forge, as the journal keeps it. Types only.

/** A pull request of the run's work. */
export interface OpenedRequest {
	readonly url: string;
	readonly branch: string;
	/** The branch that it is to be merged into. */
	readonly base: string;
}

/** A comment on an issue of the forge. */
export interface IssueComment {
	readonly issue: number;
	readonly about: "started" | "ended";
	/** Its address; null: there is none. */
	readonly url: string | null;
	/** Why there is none. */
	readonly problem?: string;
}
