// Two files say how pawl works: the user's own, for every repository, and the repository's. Key by key the repository's wins.
import type { WrittenConfig } from "./schema.ts";

type Agents = NonNullable<WrittenConfig["agents"]>;

/** Keys that are about one repository, or that a person allows for one repository at a time. The user's own file may not have them. */
export const OF_A_REPOSITORY: readonly (keyof WrittenConfig)[] = [
	"base",
	"checks",
	"setup",
	"copy",
	"link",
	"env",
	"push",
	"comment",
	"forge",
	"merge",
	"requires",
	"baseline",
];

export function merged(user: WrittenConfig, own: WrittenConfig): WrittenConfig {
	return {
		...user,
		...said(own),
		agents: mergedAgents(user.agents ?? {}, own.agents ?? {}),
		limits: { ...user.limits, ...said(own.limits ?? {}) },
		logs: { ...user.logs, ...said(own.logs ?? {}) },
		timeouts: { ...user.timeouts, ...own.timeouts },
		notify: { ...user.notify, ...said(own.notify ?? {}) },
		// The other way round: a repository must not take away, or widen, what its user wants to be protected by.
		...(user.sandbox ? { sandbox: user.sandbox } : {}),
	};
}

const mergedAgents = (user: Agents, own: Agents): Agents => ({
	...user,
	...Object.fromEntries(Object.entries(own).map(([name, agent]) => [name, mergedAgent(user[name], agent)])),
});

/** If the repository says what runs, nothing of the user's entry counts: their `env` may hold a secret, which must not reach a command that came
 * with the repository. */
export function mergedAgent(user: Agents[string] | undefined, own: Agents[string]): Agents[string] {
	if (user === undefined || [own.type, own.command, own.script].some((value) => (value ?? null) !== null)) return own;
	const tiers = { ...user.tiers, ...said(own.tiers ?? {}) };
	return { ...user, ...said(own), ...(Object.keys(tiers).length > 0 ? { tiers } : {}) };
}

/** A key that is left empty says nothing. */
const said = <T extends object>(written: T): Partial<T> =>
	Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null && value !== undefined)) as Partial<T>;
