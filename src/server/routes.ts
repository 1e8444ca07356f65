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
const ACTIONS = ["approve", "answer", "reject", "retry", "skip", "steer", "extend", "resume", "pause", "cancel"];

const LOOKS: readonly (readonly [RegExp, Look])[] = [
	["runs", look.runRows],
	["inbox", look.inbox],
	["workflows", look.workflows],
	[`runs/${ID}`, look.oneRun],
	[`runs/${ID}/stories`, look.stories],
	[`runs/${ID}/stories/${ID}`, look.oneStory],
	[`runs/${ID}/events`, look.events],
	[`runs/${ID}/attempts`, look.attempts],
	[`runs/${ID}/cost`, look.cost],
	[`runs/${ID}/stories/${ID}/diff`, look.diff],
	[`runs/${ID}/stories/${ID}/steps/${ID}/log`, look.log],
	[`runs/${ID}/stories/${ID}/steps/${ID}/prompt`, look.prompt],
].map(([path, to]) => [new RegExp(`^${path as string}$`), to as Look] as const);

const ACT = new RegExp(`^runs/${ID}/(${ACTIONS.join("|")})$`);

/** `path` without `/api/` or `/api/v1/`; null: there is no such route. */
export function routeOf(path: string): Route | null {
	if (path === "stream") return { stream: true, names: [] };
	const [, run, action] = ACT.exec(path) ?? [];
	if (run !== undefined && action !== undefined) return { act: { action, run }, names: [] };
	for (const [pattern, to] of LOOKS) {
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
