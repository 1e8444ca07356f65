// Makes sure that no workflow delivers work that fails the repository's checks. A step with the action `checks` runs them. If a workflow does
// not have one before a step that delivers, or after the last step that may write, loading the workflow adds one.
import { type Definition, FAILURES, type Route, type StepType } from "../core/definition.ts";
import { wishOf } from "./roles.ts";

type Body = Omit<Definition, "hash">;

const CHECKS = "final_checks";
const REPAIR = "repair_checks";

const PROMPT = `The checks of this repository fail on what is about to be delivered. Make them pass, and change nothing else.

What failed, and what it printed, is at the top. The work was done for this task: \`git diff {{base_commit}}..HEAD\`

TASK
{{task}}

1. Run the failing command yourself and find the cause.
2. Mend the code. What the task asks for has to stay done: do not take the work back to make a check pass. Do not weaken, skip or delete a
   test, unless the test itself is wrong: then say why.
3. Run every check once more. {{how_to_check}}
4. Commit what belongs to the work, and remove the rest.

End with a few lines that say what was wrong and what you changed.
`;

export function withDelivery(written: Body): Body {
	const body = withStoryChecks(written);
	const { steps, placed } = placeChecks(body);
	if (placed.length === 0) return { ...body, types: throughChecks(body.types, steps) };
	const own = body.steps.map((step) => body.types[step.type]).find((type) => type?.proves);
	const writer = lastWriter(body);
	const judges = placed.map((name) => judgesBefore(body, steps, name));
	const repairs = [...new Set(judges)].map((next, n) => ({ next, name: n === 0 ? REPAIR : `${REPAIR}.${n + 1}` }));
	// One type for each position, because a route that leads back has to name one of them.
	const made: Record<string, StepType> = {};
	for (const [at, name] of placed.entries()) {
		const repair = repairs.find(({ next }) => next === judges[at]) ?? { name: REPAIR, next: null };
		Object.assign(made, own === undefined ? generated(body, writer, name, repair) : { [name]: { ...own, name } });
	}
	const prompts = Object.values(made).some(({ prompt }) => prompt === REPAIR) ? { [REPAIR]: PROMPT } : {};
	return { ...body, steps, types: throughChecks({ ...body.types, ...made }, steps), prompts: { ...body.prompts, ...prompts } };
}

/** Where those begin who judged the work before these checks: what is repaired goes past them again. Null if nobody looked at it since it was
 * written. */
function judgesBefore(body: Body, steps: Body["steps"], checks: string): string | null {
	const before = steps.slice(
		0,
		steps.findIndex((step) => step.type === checks),
	);
	const written = before.findLastIndex((step) => writesItself(body, body.types[step.type]));
	const later = before.slice(written + 1);
	return later.some((step) => body.types[step.type]?.internal === false) ? (later[0]?.type ?? null) : null;
}

const writesItself = (body: Body, type: StepType | undefined): boolean =>
	type !== undefined && (writes(type) || (type.each?.steps ?? []).some((step) => writesItself(body, body.types[step.type])));

/** A story that shares its checkout is checked before it is done; a story with its own worktree is checked when it is merged. */
function withStoryChecks(body: Body): Body {
	const types: Record<string, StepType> = { ...body.types };
	for (const type of Object.values(body.types)) {
		if (!type.each) continue;
		const { steps } = type.each;
		const at = steps.findLastIndex((step) => isWriter(body, body.types[step.type]));
		const writer = body.types[steps[at]?.type ?? ""];
		const later = steps.slice(at + 1).some((step) => body.types[step.type]?.proves);
		if (!writer || later || isProved(writer)) continue;
		const name = `${type.name}.checks`;
		types[name] = storyChecks(name, repairerOf(body, steps.slice(0, at + 1)));
		types[type.name] = { ...type, each: { ...type.each, steps: steps.toSpliced(at + 1, 0, { type: name }) } };
	}
	return { ...body, types };
}

/** The step already runs all checks as its own evidence. */
const isProved = (type: StepType): boolean => type.checks.includes("*");

const isWriter = (body: Body, type: StepType | undefined): boolean => type !== undefined && mayWrite(body, type);

/** The last agent that may write itself: one that only leads to a detour which writes could not repair anything. */
const repairerOf = (body: Body, steps: Body["steps"]): StepType | undefined =>
	steps.map((step) => body.types[step.type]).findLast((type) => type?.kind === "agent" && writes(type));

/** Back to the agent that repairs it, once; then the story fails. */
function storyChecks(name: string, repairer: StepType | undefined): StepType {
	const fail: Route = { action: "fail", target: "story" };
	const again: Route = { action: "retry", max: 1, per: "row", exhausted: fail };
	const back: Route = repairer ? { action: "goto", target: repairer.name, max: 1, per: "story", exhausted: fail } : fail;
	return {
		...checksType(name, "The repository's own checks pass on the story's work"),
		when: [{ field: "story_trees", op: "is_not", value: "true" }],
		routes: { done: { action: "next" }, checks_failed: back, ...failures(again) },
	};
}

/** Before each step that delivers, and at the end, unless no step can have written anything since the last checks. */
function placeChecks(body: Body): { readonly steps: Body["steps"]; readonly placed: readonly string[] } {
	const steps: { type: string }[] = [];
	const placed: string[] = [];
	let written = false;
	const prove = (name: string): void => {
		if (!written) return;
		steps.push({ type: name });
		placed.push(name);
		written = false;
	};
	for (const step of body.steps) {
		const type = body.types[step.type];
		if (type?.delivers) prove(`${type.name}.checks`);
		if (type?.proves) written = false;
		steps.push(step);
		if (type && mayWrite(body, type) && !(type.proves && comesBack(body, type))) written = true;
	}
	prove(Object.hasOwn(body.types, CHECKS) ? `end.${CHECKS}` : CHECKS);
	return { steps, placed };
}

/** A step of the run's own list, or a detour that it leads to, may write; its stories do not count. */
const writesInRun = (body: Body, name: string): boolean => {
	const type = body.types[name];
	return type !== undefined && type.each === undefined && mayWrite(body, type);
};

/** The step itself, those of its stories, or a detour that its routes lead to. */
function mayWrite(body: Body, type: StepType, seen = new Set<string>()): boolean {
	if (seen.has(type.name)) return false;
	seen.add(type.name);
	if (writes(type)) return true;
	const stories = type.each?.steps ?? [];
	const detours = targetsOf(type).filter((name) => body.types[name]?.detour);
	return [...stories.map((step) => step.type), ...detours].some((name) => {
		const other = body.types[name];
		return other !== undefined && mayWrite(body, other, seen);
	});
}

/** Whether every detour of a step that proves leads back to it, or to a step before it: then it runs again, whatever they wrote. */
function comesBack(body: Body, proof: StepType): boolean {
	const at = body.steps.findIndex((step) => step.type === proof.name);
	const before = new Set(body.steps.slice(0, at + 1).map((step) => step.type));
	const seen = new Set<string>();
	const leads = (type: StepType): boolean => {
		if (seen.has(type.name)) return true;
		seen.add(type.name);
		const routes = [...Object.values(type.routes), ...(type.visits ? [type.visits.exhausted] : [])].flatMap(withReplacements);
		return routes.every((route) => {
			if (route.action !== "goto") return !GOES_ON.includes(route.action);
			if (route.target === "back" || before.has(route.target ?? "")) return true;
			const target = body.types[route.target ?? ""];
			return target?.detour === true && leads(target);
		});
	};
	return targetsOf(proof).every((name) => {
		const target = body.types[name];
		return target !== undefined && (before.has(name) || (target.detour && leads(target)));
	});
}

/** Actions after which a detour is left without going back. */
const GOES_ON: readonly string[] = ["next", "skip", "complete"];

const withReplacements = (route: Route): Route[] => [
	route,
	...(route.exhausted ? withReplacements(route.exhausted) : []),
	...(route.converged ? withReplacements(route.converged) : []),
];

const writes = ({ kind, writes: may }: StepType): boolean =>
	kind === "command" || ((kind === "agent" || kind === "gate" || kind === "loop") && may !== "none");

const targetsOf = (type: StepType): string[] =>
	[...Object.values(type.routes), ...(type.visits ? [type.visits.exhausted] : [])]
		.flatMap(withReplacements)
		.flatMap((route) => (route.action === "goto" && route.target !== undefined ? [route.target] : []));

/** A route back to a step that delivers leads to the checks before it. */
function throughChecks(types: Body["types"], steps: Body["steps"]): Body["types"] {
	const before = new Map(
		steps.flatMap((step, i) => {
			const checks = steps[i - 1]?.type;
			return types[step.type]?.delivers && checks !== undefined && types[checks]?.proves ? [[step.type, checks] as const] : [];
		}),
	);
	if (before.size === 0) return types;
	const redirect = (route: Route): Route => ({
		...route,
		...(route.action === "goto" && before.has(route.target ?? "") ? { target: before.get(route.target ?? "") ?? "" } : {}),
		...(route.exhausted ? { exhausted: redirect(route.exhausted) } : {}),
		...(route.converged ? { converged: redirect(route.converged) } : {}),
	});
	return Object.fromEntries(
		Object.entries(types).map(([name, type]) => [
			name,
			{ ...type, routes: Object.fromEntries(Object.entries(type.routes).map(([signal, route]) => [signal, redirect(route)])) },
		]),
	);
}

/** The step, and a detour in which the last writer of the workflow repairs what failed, and who judges the repair. */
function generated(body: Body, writer: Writer | null, name: string, by: Repair): Record<string, StepType> {
	const fail: Route = { action: "fail", target: "run" };
	const repair: Route = {
		action: "goto",
		target: by.name,
		max: 2,
		per: "run",
		count: REPAIR,
		exhausted: fail,
	};
	const again: Route = { action: "retry", max: 1, per: "row", exhausted: fail };
	const checks: StepType = {
		...checksType(name, "The repository's own checks pass on what is delivered"),
		// Stories with their own worktrees are checked when they are merged; what a step of the run itself writes is not.
		when:
			Object.values(body.inputs).some((input) => input.workspace === "worktree") && !body.steps.some((step) => writesInRun(body, step.type))
				? [{ field: "workspace", op: "is_not", value: "worktree" }]
				: [],
		routes: {
			done: { action: "next" },
			checks_failed: writer === null ? fail : repair,
			...failures(again),
		},
	};
	return { [name]: checks, ...(writer === null ? {} : { [by.name]: repairType(by, writer) }) };
}

const checksType = (name: string, description: string): Omit<StepType, "routes"> => ({
	...plainType(name, description),
	kind: "action",
	action: "checks",
	timeoutMs: 60 * 60_000,
	internal: true,
	byEngine: true,
	proves: true,
});

/** What can go wrong with a step that the engine does itself. */
const failures = (route: Route): StepType["routes"] =>
	Object.fromEntries(["agent_error", "timeout", "lost", "workspace_error"].map((signal) => [signal, route]));

interface Writer {
	readonly role: string;
	readonly type: StepType;
}

interface Repair {
	readonly name: string;
	/** Where the run continues after it; null: at the checks themselves. */
	readonly next: string | null;
}

function repairType({ name, next }: Repair, writer: Writer): StepType {
	const fail: Route = { action: "fail", target: "run", rollback: "failures" };
	const wait: Route = { action: "wait", target: "time", rollback: "failures", max: 100, per: "step", exhausted: fail };
	const again: Route = { action: "retry", rollback: "failures", max: 1, per: "row", exhausted: fail };
	return {
		...plainType(name, "Repair what the checks found"),
		kind: "agent",
		role: writer.role,
		prompt: REPAIR,
		report: { notes: "text", keys: [], signals: [] },
		timeoutMs: writer.type.timeoutMs,
		writes: writer.type.writes,
		...(writer.type.with === undefined ? {} : { with: writer.type.with }),
		// Whoever wrote it repairs it, as well as they wrote it.
		...wishOf(writer.type),
		detour: true,
		byEngine: true,
		routes: {
			...Object.fromEntries(FAILURES.map((signal) => [signal, again])),
			done: { action: "goto", target: next ?? "back" },
			lost: { action: "insert", steps: [{ type: "same" }], rollback: "failures", max: 3, per: "step", exhausted: fail },
			rate_limited: wait,
			overloaded: { ...wait, max: 20 },
			auth: { action: "fail", target: "run" },
			out_of_credit: { action: "fail", target: "run" },
		},
	};
}

function lastWriter(body: Body): Writer | null {
	const inOrder = body.steps.flatMap((step) => [step, ...(body.types[step.type]?.each?.steps ?? [])]);
	for (const { type: name } of inOrder.toReversed()) {
		const type = body.types[name];
		const role = type?.role ?? Object.values(type?.loop?.roles ?? {})[0]?.role;
		if (type && role !== undefined && type.kind !== "command" && writes(type)) return { role, type };
	}
	return null;
}

export const plainType = (name: string, description: string): Omit<StepType, "kind" | "timeoutMs" | "routes"> => ({
	name,
	description,
	writes: "any",
	edits: false,
	mandatory: false,
	last: false,
	byEngine: false,
	internal: false,
	detour: false,
	checks: [],
	when: [],
	session: "fresh",
});
