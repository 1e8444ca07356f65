// Labels: what a worker has and a run requires. A run's list is frozen when it is created, and only workers that have all of it work on its lanes. What a
// run needs pawl itself to know is in that list, too: `pawl:2` is a label of every worker that knows what came with 2.

/** Raised when runs can have something that workers of earlier versions would get wrong; such a run requires the new number, all others stay open to them.
 * 1: lanes, leases, code that travels by git. 2: labels. */
export const PROTOCOL = 2;
const LABELS = 2;

const LABEL = /^[A-Za-z0-9_-]+(?::[A-Za-z0-9_-]+)*$/;
const LONGEST = 60;
const OWN = "pawl";

/** What is wrong with a label that a person wrote; null if nothing is. */
export function labelProblem(label: string): string | null {
	if (!LABEL.test(label) || label.length > LONGEST)
		return `${JSON.stringify(label)} is not a label: letters, digits, _ and -, in parts with : between them`;
	return label === OWN || label.startsWith(`${OWN}:`) ? `${label}: labels of this kind are pawl's own` : null;
}

/** What a new run requires of a worker, sorted. */
export function requiredLabels(...wanted: readonly (readonly string[])[]): readonly string[] {
	const labels = new Set(wanted.flat());
	return labels.size === 0 ? [] : [...labels, protocolLabel(LABELS)].sort();
}

/** The labels of a worker of this version, besides what it is told and finds. */
export const protocolLabels = (): string[] => Array.from({ length: PROTOCOL }, (_, index) => protocolLabel(index + 1));

const protocolLabel = (number: number): string => `${OWN}:${number}`;

/** The protocol that a label stands for, or null. */
export function protocolOf(label: string): number | null {
	const [own, number] = label.split(":");
	return own === OWN && number !== undefined && /^\d+$/.test(number) ? Number(number) : null;
}

/** Whether this version of pawl must keep its hands off the run. */
export const isTooNew = (requires: readonly string[]): boolean => requires.some((label) => (protocolOf(label) ?? 0) > PROTOCOL);

/** A worker, as far as it matters who may work on what. */
interface Candidate {
	readonly labels: readonly string[];
	readonly gone: boolean;
	readonly draining: boolean;
}

/** Why no worker will work on a run that requires this, and what a person can do; null if one may. */
export function whyUnserved(requires: readonly string[], workers: readonly Candidate[]): string | null {
	const own = requires.filter((label) => protocolOf(label) === null);
	const start = `start one with: pawl worker --repo URL${own.length === 0 ? "" : ` --labels ${own.join(",")}`}`;
	const living = workers.filter(({ gone, draining }) => !gone && !draining);
	if (living.length === 0) return `there is no worker that takes anything new; ${start}`;
	const has = ({ labels }: Candidate, wanted: readonly string[]): boolean => wanted.every((label) => labels.includes(label));
	if (living.some((worker) => has(worker, requires))) return null;
	if (living.some((worker) => has(worker, own))) return "every worker that could work on it is older than the run needs: update one";
	const missing = own.filter((label) => !living.some(({ labels }) => labels.includes(label)));
	const what = missing.length === 0 ? `all of the labels ${own.join(", ")}` : `the label ${missing.join(", ")}`;
	return `no worker has ${what}, which the run requires; ${start}`;
}
