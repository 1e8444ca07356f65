// `locks.json`: files that an agent has reserved. A list of {path, agent, task, acquired}; an agent is named with its attempt, so that
// locks of agents that are gone can be found. Pure.
import { foreignValue } from "../../core/text/foreign-json.ts";

export interface FileLock {
	/** Relative to the tree. */
	readonly path: string;
	readonly agent: string;
	readonly task: string;
	readonly acquired: string;
}

export function readLocks(text: string): FileLock[] {
	const value = foreignValue(text);
	return Array.isArray(value) ? value.filter(isLock) : [];
}

const isLock = (value: unknown): value is FileLock => {
	if (typeof value !== "object" || value === null) return false;
	const entry = value as Readonly<Record<string, unknown>>;
	return ["path", "agent", "task", "acquired"].every((key) => typeof entry[key] === "string");
};

export const renderLocks = (locks: readonly FileLock[]): string => `${JSON.stringify(locks, null, 2)}\n`;

/** Who asks: an attempt of a run, or anybody else. */
export interface Owner {
	readonly role: string;
	readonly run: string;
	readonly scope: string;
	readonly step: string;
	readonly attempt: number;
}

/** `task-executor 20260115-120000-ab12/1.2/step-003/1` */
export const ownerName = (o: Owner): string => `${o.role} ${o.run}/${o.scope}/${o.step}/${o.attempt}`;

export function ownerIn(agent: string): Owner | null {
	const [, role = "", run = "", scope = "", step = "", attempt = ""] = /^(\S+) ([^/\s]+)\/([^/\s]+)\/([^/\s]+)\/(\d+)$/.exec(agent) ?? [];
	return role === "" ? null : { role, run, scope, step, attempt: Number(attempt) };
}

/** Locks whose owners still run. An owner that is not an attempt of a run is never considered gone. */
export const livingLocks = (locks: readonly FileLock[], lives: (owner: Owner) => boolean): FileLock[] =>
	locks.filter(({ agent }) => {
		const owner = ownerIn(agent);
		return owner === null || lives(owner);
	});

/** The list with the lock in it, or who has it. The same owner may ask again. */
export function takeLock(locks: readonly FileLock[], wanted: FileLock): { readonly locks: FileLock[] } | { readonly holder: FileLock } {
	const holder = locks.find((lock) => lock.path === wanted.path);
	if (holder && holder.agent !== wanted.agent) return { holder };
	return { locks: holder ? [...locks] : [...locks, wanted] };
}

export const releaseLocks = (locks: readonly FileLock[], agent: string, path: string | null): FileLock[] =>
	locks.filter((lock) => lock.agent !== agent || (path !== null && lock.path !== path));
