// A crash, or an error of the disk, at every kind of durable call: finds the points of a run, tries one of them, resumes, checks.
import { createHash } from "node:crypto";
import type { Outcome } from "./checks.ts";
import { alive } from "./checks.ts";
import { heal, undisturbed } from "./heal.ts";
import { callOf, classes, pointOf } from "./role.ts";
import { command, imageOf, LONGEST_MS, makeSite, pawl, type Site, type Workflow } from "./site.ts";
import type { Answer, Call, Tracer } from "./tracer.ts";

/** kill: of the process group, before the call. full: ENOSPC. broken: EIO. short: half of a write is made. torn: half, then kill. */
export const FAULTS = ["kill", "full", "broken", "short", "torn"] as const;
export type Fault = (typeof FAULTS)[number];

export const isError = (fault: Fault): boolean => fault === "full" || fault === "broken";

export interface Trial {
	readonly workflow: Workflow;
	readonly point: string;
	/** The how-manieth call of that kind. */
	readonly nth: number;
	readonly fault: Fault;
}

export const nameOf = ({ workflow, point, nth, fault }: Trial): string => `${workflow}: ${fault} at ${point} #${nth}`;

const ENOSPC = 28;
const EIO = 5;
/** Calls that need room on the disk. */
const NEEDS_ROOM = new Set([
	"write",
	"pwrite",
	"writev",
	"pwritev",
	"open",
	"rename",
	"link",
	"symlink",
	"mkdir",
	"fsync",
	"fdatasync",
	"copy",
	"fallocate",
]);
const TOUCHES_DISK = new Set(["write", "pwrite", "writev", "pwritev", "fsync", "fdatasync"]);
const WRITES = new Set(["write", "pwrite"]);

/** A folder in which one workflow is run again and again. */
export interface Place {
	readonly site: Site;
	readonly expected: Outcome;
	restore(): void;
	remove(): void;
}

export async function makePlace(workflow: Workflow): Promise<Place> {
	const site = makeSite(workflow);
	const image = imageOf(site);
	const remove = () => {
		image.remove();
		site.remove();
	};
	try {
		const expected = await undisturbed(site);
		return { site, expected, restore: image.restore, remove };
	} catch (error) {
		remove();
		throw error;
	}
}

/** Every kind of call that succeeded in an undisturbed run, with the faults that are tried there. */
export async function trialsOf(tracer: Tracer, place: Place, seed: number): Promise<Trial[]> {
	const { site } = place;
	place.restore();
	const found = new Map<string, { count: number; readonly worked: number[]; readonly name: string }>();
	const numbers = new Map<Call, number>();
	const ended = await tracer.run({
		folder: site.root,
		command: command(site.args),
		cwd: site.cwd,
		env: site.env,
		ms: LONGEST_MS,
		answer: (call) => {
			const point = pointOf(site.root, call);
			if (point === null) return "go";
			const kind = found.get(point) ?? { count: 0, worked: [], name: call.name };
			found.set(point, kind);
			numbers.set(call, ++kind.count);
			return "go";
		},
		returned: (call, result) => {
			const nth = numbers.get(call);
			if (nth !== undefined && result >= 0) found.get(pointOf(site.root, call) ?? "")?.worked.push(nth);
		},
	});
	if (ended.code !== 0) throw new Error(`${site.workflow}, traced, ended with ${ended.code}: ${ended.err.slice(-2000)}`);
	return [...found].flatMap(([point, { worked, name }]) =>
		classes(worked.length, point).flatMap((at) => {
			const trial = { workflow: site.workflow, point, nth: worked[at - 1] ?? 1 };
			return faultsOf(name, point, at, seed).map((fault) => ({ ...trial, fault }));
		}),
	);
}

/** Each once with kill and once with a full disk; the other errors by the seed. */
function faultsOf(name: string, point: string, at: number, seed: number): Fault[] {
	// What becomes of an agent's work when the agent itself cannot write it is the agent's business, and these do not look.
	if (/^(?!pawl|git)[^:]*: \w+ (checkout|worktree)$/.test(point)) return ["kill"];
	const luck = createHash("sha256").update(`${seed} ${point} ${at}`).digest();
	return [
		"kill",
		...(NEEDS_ROOM.has(name) ? (["full"] as const) : []),
		...(TOUCHES_DISK.has(name) && (luck[0] ?? 0) % 8 === 0 ? (["broken"] as const) : []),
		...(WRITES.has(name) && (luck[1] ?? 0) % 8 === 0 ? (["short"] as const) : []),
		...(WRITES.has(name) && (luck[2] ?? 0) % 8 === 0 ? (["torn"] as const) : []),
	];
}

export interface Tried {
	/** False if this run did not come by the point. */
	readonly reached: boolean;
	readonly killed: boolean;
	readonly wrong: readonly string[];
}

export async function attempt(tracer: Tracer, place: Place, { point, nth, fault }: Trial): Promise<Tried> {
	const { site, expected } = place;
	place.restore();
	let count = 0;
	let reached = false;
	const ended = await tracer.run({
		folder: site.root,
		calls: [callOf(point)],
		command: command(site.args),
		cwd: site.cwd,
		env: site.env,
		ms: LONGEST_MS,
		answer: (call) => {
			if (reached) return "rest";
			if (pointOf(site.root, call) !== point || ++count < nth) return "go";
			reached = true;
			return answerOf(fault, call);
		},
	});
	const wrong: string[] = [];
	if (ended.late) wrong.push("I17: pawl did not end after the fault");
	if (reached && isError(fault)) wrong.push(...(await ofError(site, fault, ended)));
	if (wrong.length === 0) wrong.push(...(await heal(site, expected, { mayAsk: isError(fault) })));
	endAll(site);
	return { reached, killed: ended.killed, wrong };
}

export function answerOf(fault: Fault, { data }: Call): Answer {
	if (fault === "kill") return "kill";
	if (fault === "full") return { fails: ENOSPC };
	if (fault === "broken") return { fails: EIO };
	const half = Math.floor(data.length / 2);
	return fault === "short" ? { cut: Math.max(1, half) } : { torn: half };
}

/** I13: an end that is no success says what to do about it, and the state can be looked at. */
export async function ofError(
	site: Site,
	fault: Fault,
	{ code, out, err, killed }: { code: number | null; out: string; err: string; killed: boolean },
	asksStatus = true,
) {
	if (code === 0) return [];
	const text = out + err;
	const wrong: string[] = [];
	if (killed || ![1, 2, 3].includes(code ?? -1)) wrong.push(`I13: exit ${code ?? "by a signal"}`);
	const named =
		fault === "full"
			? /disk is (not )?full|no space left|ENOSPC|disk I\/O error/i
			: /check the disk|not full or broken|EIO|input\/output error/i;
	if (!named.test(text)) wrong.push("I13: the message does not name the cause");
	if (!/pawl (resume|retry|run|status)|make room|again|check (that|the)/.test(text)) wrong.push("I13: the message does not say what to do");
	if (code !== 2 && asksStatus) {
		const status = await pawl(site, ["status"]);
		if (status.code !== 0 && !/no run/i.test(status.err)) wrong.push(`I13: the old state cannot be read: ${status.err.slice(-300)}`);
	}
	return wrong.length === 0 ? [] : [...wrong, `it said: ${text.slice(-1200)}`];
}

/** What is left of this run. */
export function endAll(site: Site): void {
	for (const { pid } of alive(site))
		try {
			process.kill(pid, "SIGKILL");
		} catch {
			// It has ended by itself.
		}
}
