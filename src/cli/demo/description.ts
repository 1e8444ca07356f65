// How a demo is described: a repository, what the run is started with, the script of its agents, what a person does in the middle, and
// what to tell at the end. There is one description per demo; `play.ts` plays any of them.
import type { Event } from "../../core/event.ts";
import type { StartOptions } from "../../runs/start/start-options.ts";

/** A decision that a person makes when the run waits. The demo types it for them. */
export interface Approval {
	/** Why a person would say yes here; the demo prints it, and the journal keeps it. */
	readonly reason: string;
	/** What they answer, where an agent asks something in words. */
	readonly words?: string;
}

/** Something worth telling, read from the journal and not from the script. */
export interface Happening {
	/** One or two words in the singular: the demo counts them. */
	readonly kind: string;
	/** Empty if it concerns the whole run. */
	readonly story: string;
	readonly text: string;
}

export interface Demo {
	/** What the viewer is about to see, in lines of at most 79 columns. */
	readonly about: string;
	/** Path → content of every file of the first commit. */
	readonly files: Readonly<Record<string, string>>;
	/** The branch that is checked out when the run starts, if it is not main. */
	readonly branch?: string;
	readonly workflow: string;
	/** The request, the document, the folder or the issue. */
	readonly given?: string;
	/** The script of its agents, below `workflows/`. */
	readonly script: string;
	readonly options?: StartOptions;
	/** How a user would type the same; absent where the introduction says it. */
	readonly typed?: string;
	/** In the order in which the run asks for them. */
	readonly person?: readonly Approval[];
	/** The repository gets a remote, and pull requests are opened on a forge that is only a folder. */
	readonly forge?: boolean;
	/** The text of the pull request is printed at the end. */
	readonly pullRequest?: boolean;
	/** What happened on the way. */
	readonly happenings: (events: readonly Event[]) => readonly Happening[];
	/** Commands to look around with, and what each shows. */
	readonly look: readonly (readonly [command: string, shows: string])[];
}
