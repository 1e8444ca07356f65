// A workflow as the change of another: `extends`. The keys of the own document are laid over the raw workflow of the parent; what comes out is a raw
// workflow like any other.
import { splitSignals } from "../notation.ts";
import { type Report, suggest } from "../problem.ts";
import type { RawInput, RawRoutes, RawStep, RawType, RawWorkflow, WrittenWorkflow } from "../schema.ts";
import type { Spelled } from "../spelling.ts";
import { KINDS, rolesOf, withInline, withRole } from "./short.ts";

export function extend(parent: Spelled, own: WrittenWorkflow, broken: ReadonlySet<string>, report: Report): Spelled {
	const texts: Record<string, string> = { ...parent.texts };
	const { inputs, workspace, types: changes = {}, steps, story, extends: name = "", without = [], roles, on, limits, ...rest } = own;
	const was = parent.workflow;
	const types: Record<string, RawType> = { ...was.types };
	const unknown = new Set<string>();
	for (const [type, change] of Object.entries(changes)) {
		const before = Object.hasOwn(was.types, type) ? was.types[type] : undefined;
		if (before === undefined && change.prompt === undefined && KINDS.every((kind) => change[kind] === undefined)) {
			const meant = suggest(type, Object.keys(was.types));
			report(
				["types", type],
				`\`${name}\` has no step \`${type}\`${meant} (a new step needs a \`prompt\`, or another key that says what it does)`,
				"key",
			);
			unknown.add(`types.${type}`);
			continue;
		}
		types[type] = withInline(type, before === undefined ? withRole(change) : changed(before, change), texts);
	}
	const lists = new Lists(steps ?? was.steps, rest.abort ?? was.abort, types);
	if (story !== undefined) lists.replaceStory(story, name, report);
	without.forEach((step, i) => {
		if (!lists.remove(step)) report(["without", i], `no list of \`${name}\` has a step \`${step}\`${suggest(step, lists.names())}`);
	});
	for (const [type, { after, before }] of Object.entries(changes)) {
		if (after !== undefined && before !== undefined)
			report(["types", type, "before"], "a step is put `after` another or `before` it, not both", "key");
		const target = after ?? before;
		if (target === undefined) continue;
		lists.remove(type);
		if (!lists.put(type, target, after === undefined ? 0 : 1))
			report(
				["types", type, after === undefined ? "before" : "after"],
				`no list of \`${name}\` has a step \`${target}\`${suggest(target, lists.names())}`,
			);
	}
	const workflow: RawWorkflow = {
		...was,
		...given(rest),
		name: own.name,
		inputs: inputsOver(was.inputs, inputs, workspace),
		limits: { ...was.limits, ...limits },
		...(was.budgets || rest.budgets ? { budgets: { ...was.budgets, ...rest.budgets } } : {}),
		...(was.fields || rest.fields ? { fields: { ...was.fields, ...rest.fields } } : {}),
		...(was.on || on ? { on: routesOver(was.on ?? {}, on ?? {}) } : {}),
		roles: rolesOf({ ...was.roles, ...merged(was.roles ?? {}, roles ?? {}) }, lists.types, texts),
		types: lists.types,
		steps: lists.steps,
		...(lists.abort === undefined ? {} : { abort: [...lists.abort] }),
	};
	const foreign = parent.foreign === undefined ? {} : { foreign: parent.foreign };
	return {
		workflow,
		broken: new Set([...parent.broken, ...broken, ...unknown]),
		texts,
		variables: parent.variables,
		...foreign,
		at: (path) => path,
	};
}

/** What says another thing that it does replaces the step; everything else changes it, key by key. */
function changed(before: RawType, change: RawType): RawType {
	const kinds = KINDS.filter((kind) => change[kind] !== undefined && before[kind] === undefined);
	if (kinds.length > 0) return change;
	const { on, each, gate, loop, with: parameters } = change;
	return {
		...before,
		...given(change),
		...(on ? { on: routesOver(before.on ?? {}, on) } : {}),
		...(each && before.each ? { each: { ...before.each, ...given(each) } } : {}),
		...(gate && before.gate ? { gate: { ...before.gate, ...given(gate) } } : {}),
		...(loop && before.loop ? { loop: { ...before.loop, ...given(loop) } } : {}),
		...(parameters ? { with: { ...before.with, ...parameters } } : {}),
	};
}

const given = <T extends object>(value: T): T => Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;

const merged = <T extends object>(before: Readonly<Record<string, T>>, changes: Readonly<Record<string, T>>): Record<string, T> =>
	Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, { ...before[name], ...given(change) }]));

/** One signal of `a|b` can be changed alone. */
function routesOver(before: RawRoutes, changes: RawRoutes): RawRoutes {
	const changed = new Set(Object.keys(changes).flatMap(splitSignals));
	const left = Object.entries(before).flatMap(([key, action]) => {
		const signals = splitSignals(key).filter((signal) => !changed.has(signal));
		return signals.length === 0 ? [] : [[signals.join("|"), action] as const];
	});
	return { ...Object.fromEntries(left), ...changes };
}

/** A list replaces the ways of giving an input, a map changes them; `workspace` alone holds for all. */
function inputsOver(
	before: RawWorkflow["inputs"],
	inputs: WrittenWorkflow["inputs"],
	workspace: RawInput["workspace"] | undefined,
): Record<string, RawInput> {
	const own = Array.isArray(inputs) ? Object.fromEntries(inputs.map((reader) => [reader, { reader }])) : (inputs ?? {});
	const kept = Array.isArray(inputs) ? {} : before;
	const names = [...new Set([...Object.keys(kept), ...Object.keys(own)])];
	return Object.fromEntries(
		names.map((name) => {
			const mode = { ...before[name], ...(workspace === undefined ? {} : { workspace }), ...(own[name] ? given(own[name]) : {}) };
			return [name, { reader: name, ...mode, workspace: mode.workspace ?? "tree" }];
		}),
	);
}

const typeOf = (step: RawStep): string => (typeof step === "string" ? step : (Object.keys(step)[0] ?? ""));

/** The lists of steps: the run's, the abort list, and one for each type that opens stories. */
class Lists {
	steps: readonly RawStep[];
	abort: readonly RawStep[] | undefined;
	readonly types: Record<string, RawType>;

	constructor(steps: readonly RawStep[], abort: readonly RawStep[] | undefined, types: Record<string, RawType>) {
		this.steps = steps;
		this.abort = abort;
		this.types = types;
	}

	names(): string[] {
		const stories = Object.values(this.types).flatMap(({ each }) => each?.steps ?? []);
		return [...new Set([...this.steps, ...(this.abort ?? []), ...stories].map(typeOf))];
	}

	/** False: no list has it. */
	remove(name: string): boolean {
		return this.change((list) => list.filter((step) => typeOf(step) !== name));
	}

	/** False: no list has the target. */
	put(name: string, target: string, behind: 0 | 1): boolean {
		return this.change((list) => list.flatMap((step) => (typeOf(step) !== target ? [step] : behind === 1 ? [step, name] : [name, step])));
	}

	replaceStory(story: readonly RawStep[], parent: string, report: Report): void {
		const [only, ...more] = Object.entries(this.types).filter(([, { each }]) => each !== undefined);
		if (!only || more.length > 0)
			report(["story"], `\`${parent}\` has ${only ? "several lists" : "no list"} of stories: change \`each\` of the type instead`, "key");
		else if (only[1].each) this.types[only[0]] = { ...only[1], each: { ...only[1].each, steps: [...story] } };
	}

	private change(change: (list: readonly RawStep[]) => readonly RawStep[]): boolean {
		let hit = false;
		const apply = (list: readonly RawStep[]): RawStep[] => {
			const after = [...change(list)];
			hit ||= after.length !== list.length;
			return after;
		};
		this.steps = apply(this.steps);
		if (this.abort !== undefined) this.abort = apply(this.abort);
		for (const [name, type] of Object.entries(this.types))
			if (type.each) this.types[name] = { ...type, each: { ...type.each, steps: apply(type.each.steps) } };
		return hit;
	}
}
