// Which path is which: a path finds its route first, then its method has to fit.
import * as look from "./look.ts";

type Look = (l: look.Looking, ...names: string[]) => Promise<unknown>;

export interface Route {
	/** GET. */
	readonly look?: Look;
	/** POST: the run, if the path names one, and what is to be done. */
	readonly act?: { readonly action: string; readonly run: string | null };
	readonly stream?: true;
	readonly names: readonly string[];
}

const ID = "([A-Za-z0-9][A-Za-z0-9._-]{0,200})";
export const ACTION_NAMES = ["approve", "answer", "reject", "retry", "skip", "steer", "extend", "resume", "pause", "cancel"] as const;

/** What can be looked at; RUN, STORY and STEP stand for ids. */
export const LOOKS = {
	runs: look.runRows,
	inbox: look.inbox,
	machines: look.machines,
	workflows: look.workflows,
	"runs/RUN": look.oneRun,
	"runs/RUN/stories": look.stories,
	"runs/RUN/stories/STORY": look.oneStory,
	"runs/RUN/events": look.events,
	"runs/RUN/attempts": look.attempts,
	"runs/RUN/cost": look.cost,
	"runs/RUN/stories/STORY/diff": look.diff,
	"runs/RUN/stories/STORY/steps/STEP/log": look.log,
	"runs/RUN/stories/STORY/steps/STEP/prompt": look.prompt,
} as const;

const PATTERNS = Object.entries(LOOKS).map(([path, to]) => [new RegExp(`^${path.replaceAll(/[A-Z]+/g, ID)}$`), to as Look] as const);
const ACT = new RegExp(`^runs/${ID}/(${ACTION_NAMES.join("|")})$`);

/** `path` without `/api/` or `/api/v1/`; null: there is no such route. */
export function routeOf(path: string): Route | null {
	if (path === "stream") return { stream: true, names: [] };
	const [, run, action] = ACT.exec(path) ?? [];
	if (run !== undefined && action !== undefined) return { act: { action, run }, names: [] };
	for (const [pattern, to] of PATTERNS) {
		const found = pattern.exec(path);
		if (found === null) continue;
		const names = found.slice(1);
		return { look: to, names, ...(path === "runs" ? { act: { action: "start", run: null } } : {}) };
	}
	return null;
}

export const methodsOf = ({ look: looks, act, stream }: Route): string[] => [
	...(looks || stream ? ["GET", "HEAD"] : []),
	...(act ? ["POST"] : []),
];
