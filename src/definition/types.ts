// Compiles step types from YAML to the core's form, with their routes still separate. The one key that says what a type does
// determines its kind.
import type { Condition, Each, Loop, Member, StepKind, StepType } from "../core/definition.ts";
import { compileAction, compileRoutes, plan, type RouteAt, type RouteTable, take } from "./actions.ts";
import { MERGE_TYPE } from "./defaults.ts";
import { parseCap, parseWhen, readDuration } from "./notation.ts";
import { list, type Path, type Report } from "./problem.ts";
import { compileGrammar, wishOf } from "./roles.ts";
import type { RawType } from "./schema.ts";

export interface TypeDraft {
	readonly type: Omit<StepType, "routes">;
	readonly path: Path;
	readonly own: RouteTable;
	/** The route to take when routes lead here too often. */
	readonly exhausted: RouteAt | null;
	/** Declared signals: of an action, of a loop's control files, or of a keeper. */
	readonly signals: readonly string[] | undefined;
}

const KIND_OF = {
	role: "agent",
	command: "command",
	action: "action",
	approval: "approval",
	gate: "gate",
	each: "each",
	loop: "loop",
} as const;
const ANY = ["description", "when", "on", "mandatory", "last", "internal", "detour", "visits", "exhausted", "by"];
/** Keys of kinds that have agent sessions. */
const WATCHED = ["timeout", "stall", "writes", "checks", "agent", "model", "effort"];
const KEYS: Readonly<Record<StepKind, readonly string[]>> = {
	agent: [
		"role",
		"prompt",
		"edits",
		"session",
		"cut_off",
		"keeper",
		"with",
		"signals",
		"spend",
		"stories",
		"on_demand",
		"report",
		"judges",
		"expects_change",
		...WATCHED,
	],
	command: ["command", "timeout"],
	action: ["action", "with", "signals", "stories", "timeout", "delivers", "judges", "proves"],
	approval: ["approval"],
	gate: ["gate", "report", "judges", "session", "keeper", "with", "signals", ...WATCHED],
	each: ["each"],
	loop: ["loop", "edits", "session", "signals", "cut_off", "keeper", ...WATCHED],
};
const DEFAULT_TIMEOUT_MS = 30 * 60_000;
/** Words that mean something else in routes. */
const TAKEN = ["same", "back"];

export function compileType(name: string, written: RawType, report: Report): TypeDraft | null {
	const path = ["types", name];
	const says = (Object.keys(KIND_OF) as (keyof typeof KIND_OF)[]).filter((k) => written[k] !== undefined);
	const key = says[0];
	if (TAKEN.includes(name)) report(path, `\`${name}\` has a meaning of its own in routes: call the type something else`, "key");
	if (key === undefined)
		report(path, `\`${name}\` does not say what it does: add a \`prompt\`, or one of ${list(Object.keys(KIND_OF))}`, "key");
	if (says.length > 1) report(path, `\`${name}\` says ${list(says)}: a step does one thing, keep one`, "key");
	if (key === undefined || says.length > 1) return null;
	const kind = KIND_OF[key];
	const foreign = Object.keys(written).filter((k) => !ANY.includes(k) && !KEYS[kind].includes(k));
	for (const k of foreign) report([...path, k], `\`${k}\` has no meaning for a step of kind \`${kind}\``, "key");
	// Later checks must not report the same key again.
	const raw: RawType = {
		...(written.action === "merge" ? { ...MERGE_TYPE, signals: [...MERGE_TYPE.signals] } : {}),
		...Object.fromEntries(Object.entries(written).filter(([k]) => !foreign.includes(k))),
	};
	if (raw.mandatory && raw.detour)
		report([...path, "mandatory"], "a detour runs only when a route leads to it, so it cannot be mandatory", "key");
	const timed = kind !== "each" && kind !== "approval";
	const timeout =
		raw.timeout === undefined ? (timed ? DEFAULT_TIMEOUT_MS : 0) : take(readDuration(raw.timeout), [...path, "timeout"], report);
	const stall = raw.stall === undefined ? null : take(readDuration(raw.stall), [...path, "stall"], report);
	const visits = compileVisits(raw, path, report);
	return {
		path,
		own: compileRoutes(raw.on, [...path, "on"], report),
		exhausted: visits === null ? null : { route: visits.exhausted, path: [...path, "exhausted"] },
		signals: raw.signals,
		type: {
			name,
			kind,
			description: raw.description ?? name,
			timeoutMs: timeout ?? 0,
			...(stall === null ? {} : { stallMs: stall }),
			// Members of a gate review; all others do work.
			writes: raw.writes ?? (timed && kind !== "gate" ? "any" : "none"),
			edits: raw.edits ?? false,
			mandatory: raw.mandatory ?? false,
			last: raw.last ?? false,
			byEngine: raw.by === "engine",
			internal: raw.internal ?? false,
			detour: raw.detour ?? raw.on_demand ?? false,
			checks: raw.checks ?? [],
			when: conditions(raw.when, [...path, "when"], report),
			session: raw.session ?? "fresh",
			...wishOf(raw),
			...(raw.keeper === undefined ? {} : { keeper: raw.keeper }),
			...(visits === null ? {} : { visits }),
			...(raw.spend === undefined ? {} : { spend: raw.spend }),
			...(raw.stories === undefined ? {} : { replaces: true }),
			...(raw.on_demand ? { onDemand: true } : {}),
			...(raw.report === undefined ? {} : { report: compileGrammar(raw.report, [...path, "report"], report) }),
			...(raw.role === undefined ? {} : { role: raw.role, prompt: raw.prompt ?? `prompts/${name}.md` }),
			...(raw.command === undefined ? {} : { command: raw.command }),
			...(raw.action === undefined ? {} : { action: raw.action }),
			...(raw.with === undefined ? {} : { with: raw.with }),
			...(raw.gate === undefined ? {} : gate(raw.gate)),
			...(raw.each === undefined ? {} : { each: each(raw.each, [...path, "each"], report) }),
			...(raw.loop === undefined ? {} : { loop: loop(raw.loop, [...path, "loop"], report) }),
			...(raw.cut_off === "keep" ? { leavesWork: true } : {}),
			...(raw.delivers ? { delivers: true } : {}),
			...(raw.expects_change ? { expectsChange: true } : {}),
			...(raw.judges === undefined || raw.judges === false
				? {}
				: { judges: raw.judges === true ? [] : conditions(raw.judges, [...path, "judges"], report) }),
			...(raw.action === "checks" && raw.proves !== false ? { proves: true } : {}),
		},
	};
}

function compileVisits(raw: RawType, path: Path, report: Report): NonNullable<StepType["visits"]> | null {
	if (raw.visits === undefined) {
		if (raw.exhausted !== undefined) report([...path, "exhausted"], "`exhausted` is never taken: it needs `visits`", "key");
		return null;
	}
	if (raw.exhausted === undefined) {
		report([...path, "visits"], "`exhausted` is missing: say what happens when routes lead here too often", "key");
		return null;
	}
	const cap = take(parseCap(raw.visits), [...path, "visits"], report);
	const exhausted = compileAction(raw.exhausted, [...path, "exhausted"], report);
	if (cap !== null && cap.per !== "entry" && cap.per !== "run") report([...path, "visits"], "visits are counted per entry or per run");
	return cap === null || exhausted === null ? null : { ...cap, exhausted };
}

function conditions(raw: RawType["when"], path: Path, report: Report): Condition[] {
	if (raw === undefined) return [];
	if (typeof raw === "string") return take(parseWhen(raw), path, report) ?? [];
	return raw.flatMap((text, i) => take(parseWhen(text), [...path, i], report) ?? []);
}

function gate(raw: NonNullable<RawType["gate"]>): { members: Member[]; verdicts?: string[] } {
	const members = Object.entries(raw.members).map(([role, m]): Member => {
		const { authority, prompt } = typeof m === "string" ? { authority: m, prompt: undefined } : m;
		return { role, blocking: authority === "blocking", prompt: prompt ?? `prompts/${role}.md` };
	});
	return { members, ...(raw.verdicts === undefined ? {} : { verdicts: raw.verdicts }) };
}

function each(raw: NonNullable<RawType["each"]>, path: Path, report: Report): Each {
	if (raw.steps.length === 0) report([...path, "steps"], "a story needs at least one step");
	return {
		steps: plan(raw.steps, [...path, "steps"], report),
		concurrency: raw.concurrency === "$agents" ? 0 : (raw.concurrency ?? 1),
		order: raw.order ?? "list",
		onFailure: raw.on_failure ?? "fail_run",
		expectsChange: raw.expects_change ?? true,
		...(raw.at_least === undefined ? {} : { atLeast: raw.at_least }),
		...(raw.only_declared ? { onlyDeclared: true } : {}),
	};
}

const SCHEDULE = /^([A-Z]([1-9]\d{0,3})?)+$/;
const FIELD = /^\{\{\s*[a-z][a-z0-9_]*\s*\}\}$/;

function loop(raw: NonNullable<RawType["loop"]>, path: Path, report: Report): Loop {
	const letters = Object.keys(raw.roles);
	if (SCHEDULE.test(raw.schedule)) {
		for (const letter of new Set(raw.schedule.replace(/\d/g, "")))
			if (!letters.includes(letter))
				report([...path, "schedule"], `the schedule has \`${letter}\`, which \`roles\` does not say; there is ${list(letters)}`);
	} else if (!FIELD.test(raw.schedule))
		report([...path, "schedule"], `\`${raw.schedule}\` is not a schedule: write one such as W5R, or a field as {{scheme}}`);
	const max = String(raw.max);
	if (!/^[1-9]\d*$/.test(max) && !FIELD.test(max))
		report([...path, "max"], `\`${max}\` is not a number, nor a field as {{max_iterations}}`);
	for (const [signal, letter] of Object.entries(raw.inject ?? {}))
		if (!letters.includes(letter))
			report([...path, "inject", signal], `\`${letter}\` is not a role of this loop; there is ${list(letters)}`);
	return {
		schedule: raw.schedule,
		roles: Object.fromEntries(
			Object.entries(raw.roles).map(([letter, r]) => {
				const { role, prompt, raw: given, report: own, fields, instead_of: insteadOf } = typeof r === "string" ? { role: r } : r;
				const at = [...path, "roles", letter];
				if (given !== undefined && prompt !== undefined)
					report([...at, "raw"], "a role has a `prompt` or is given one `raw`, not both", "key");
				if (insteadOf !== undefined && !letters.includes(insteadOf))
					report([...at, "instead_of"], `\`${insteadOf}\` is not a role of this loop; there is ${list(letters)}`);
				return [
					letter,
					{
						role,
						...(given === undefined ? { prompt: prompt ?? `prompts/${role}.md` } : { raw: given }),
						...(own === undefined ? {} : { report: compileGrammar(own, [...at, "report"], report) }),
						...(fields === undefined ? {} : { fields }),
						...(insteadOf === undefined ? {} : { insteadOf }),
					},
				];
			}),
		),
		max,
		inject: raw.inject ?? {},
		...(raw.start === undefined ? {} : { start: Object.fromEntries(Object.entries(raw.start).map(([k, v]) => [k, String(v)])) }),
		...(raw.delay === undefined ? {} : { delay: String(raw.delay) }),
	};
}
