// The subject of a commit of what a step left uncommitted on the user's own branch. It stays there where an agent commits on top of it, so it reads
// like the repository's own commits; what comes last is folded into one commit at the end, which finds it by this subject.
import { inStyle } from "./commit-style.ts";
import { RUN_SCOPE, type RunState } from "./model.ts";
import { startedWith } from "./started-with.ts";

const LONGEST_TITLE = 60;

export function leftSubject(state: RunState, scope: string, type: string): string {
	const title = (state.stories.find((story) => story.id === scope)?.title ?? state.title)
		.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
		.trim();
	const short = title.length <= LONGEST_TITLE ? title : `${title.slice(0, LONGEST_TITLE - 1).trimEnd()}…`;
	return inStyle(startedWith(state).commitStyle, `${short.replace(/[.]$/, "")} (left by ${type})`);
}

/** Whether it is one of these subjects. */
export function isLeftSubject(state: RunState, subject: string): boolean {
	const scopes = [RUN_SCOPE, ...state.stories.map(({ id }) => id)];
	return Object.keys(state.definition.types).some((type) => scopes.some((scope) => leftSubject(state, scope, type) === subject));
}
