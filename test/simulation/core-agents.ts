// What attempts come to in the core layer. Instead of files there is one fact for each tree: whether the user's checks would fail on it. A
// check tells the truth about that; an agent that may write makes it better or worse.
import type { Definition, Route, StepType } from "../../src/core/definition.ts";
import { FAILURES } from "../../src/core/definition.ts";
import type { CheckResult, Outcome } from "../../src/core/input.ts";
import { RUN_SCOPE, type RunState, type Step } from "../../src/core/model.ts";
import { grammarOf, hasStoryTrees } from "../../src/core/query.ts";
import { NO_USAGE, outcomeOf, storyOf } from "../../src/core/testing/builders.suite.ts";
import type { Luck } from "./luck.ts";

interface Tree {
	readonly red: boolean;
	readonly id: number;
}

/** The trees of a run, and what each was when an attempt began. */
export class Trees {
	private readonly now = new Map<string, Tree>();
	private readonly begun = new Map<string, Tree>();
	private made = 0;

	of(state: RunState, scope: string): Tree {
		return this.now.get(keyOf(state, scope)) ?? { red: false, id: 0 };
	}

	write(state: RunState, scope: string, red: boolean): void {
		this.now.set(keyOf(state, scope), { red, id: ++this.made });
	}

	begin(state: RunState, scope: string, attempt: string): void {
		this.begun.set(`${scope} ${attempt}`, this.of(state, scope));
	}

	/** A rollback puts the tree back to where that attempt began. */
	putBack(state: RunState, scope: string, attempt: string): void {
		const tree = this.begun.get(`${scope} ${attempt}`);
		if (tree !== undefined) this.now.set(keyOf(state, scope), tree);
	}
}

const keyOf = (state: RunState, scope: string): string => (scope !== RUN_SCOPE && hasStoryTrees(state) ? scope : RUN_SCOPE);

/** One attempt that is under way. */
export interface Work {
	readonly state: RunState;
	readonly scope: string;
	readonly step: Step;
	readonly type: StepType;
	readonly role: string;
	readonly trees: Trees;
	readonly at: number;
}

const checksOf = ({ type, trees, state, scope }: Work): CheckResult[] => {
	const named = type.kind === "command" ? [type.command ?? ""] : type.action === "checks" || type.action === "merge" ? ["*"] : type.checks;
	const { red, id } = trees.of(state, scope);
	return named
		.flatMap((name) => (name === "*" ? ["lint", "test"] : [name]))
		.map((name) => ({ name, command: `npm run ${name}`, exitCode: red ? 1 : 0, output: red ? "it fails" : "", tree: `${scope} ${id}` }));
};

const mayWrite = ({ kind, writes }: StepType): boolean => (kind === "agent" || kind === "loop") && writes !== "none";

/** As well as it can go. */
export function goodOutcome(work: Work): Outcome {
	const { type, trees, state, scope } = work;
	if (mayWrite(type)) trees.write(state, scope, false);
	return finished(work, { signal: bestOf(work), changed: mayWrite(type), usage: { ...NO_USAGE, costUsd: 0.01 } });
}

/** Anything that can happen. */
export function someOutcome(work: Work, luck: Luck): Outcome {
	const { type, trees, state, scope, at } = work;
	if (mayWrite(type) && luck.happens(0.7)) trees.write(state, scope, luck.happens(0.25));
	const signal = luck.happens(0.55) ? bestOf(work) : anySignal(work, luck);
	return finished(work, {
		signal,
		error: luck.happens(0.2) ? "it says why" : null,
		changed: mayWrite(type) && luck.happens(0.8),
		usage: { ...NO_USAGE, costUsd: luck.happens(0.1) ? null : luck.between(0, 30) / 10 },
		findings: luck.happens(0.3) ? [{ key: luck.pick(["F1", "F2"]), class: "plan", text: "it could be better" }] : [],
		retryAt: luck.happens(0.5) ? at + luck.between(-1, 90) * 60_000 : null,
		...(luck.happens(0.15) ? { edits: someEdits(work, luck) } : {}),
		...(luck.happens(0.03) ? { unclear: "who did this?" } : {}),
		...(luck.happens(0.1) ? { resumable: { agent: "a", session: "s" } } : {}),
		...(luck.happens(0.05) ? { lacks: ["NOTE"] } : {}),
	});
}

/** Checks, and the stories of a planner. */
function finished(work: Work, outcome: Partial<Outcome>): Outcome {
	const { type, state, step, role } = work;
	const checks = checksOf(work);
	const failed = checks.some((check) => check.exitCode !== 0);
	const ofEngine = type.kind === "command" || type.action === "checks" || type.action === "merge";
	// Planners plan once, and before the stories.
	const isPlanned =
		state.stories.length > 0 || state.root.steps.some((one) => one.status === "completed" && state.definition.types[one.type]?.each);
	const plans = type.replaces === true || (grammarOf(state.definition, step, role).stories !== undefined && !isPlanned);
	const bad = (FAILURES as readonly string[]).includes(outcome.signal ?? "");
	return outcomeOf({
		...outcome,
		checks: bad ? [] : checks,
		...(ofEngine && failed && !bad ? { signal: "checks_failed" } : {}),
		...(plans && !bad ? { stories: [storyOf("US-1"), storyOf("US-2", { dependsOn: ["US-1"] })] } : {}),
	});
}

/** The signals that this role can end this step in. */
function signalsOf({ state, step, type, role }: Work): string[] {
	const { signals, promise } = grammarOf(state.definition, step, role);
	const named = signals.map((rule) => rule.signal);
	const own = type.kind === "agent" || type.kind === "gate" || type.kind === "loop";
	if (!own) return Object.keys(type.routes).filter((signal) => !(FAILURES as readonly string[]).includes(signal));
	return [...(named.length === 0 ? ["done"] : named), ...(promise === undefined ? [] : ["promise"])];
}

/** Better ones come first. */
const ORDER: readonly Route["action"][] = ["complete", "next", "goto", "insert", "reopen", "retry"];

function bestOf(work: Work): string {
	const { type } = work;
	const worth = (signal: string): number => {
		if (type.kind === "gate") return (type.verdicts ?? []).indexOf(signal) + 1 || 99;
		if (signal === "done" && type.kind !== "loop") return 0;
		const route = type.routes[signal];
		const at = ORDER.indexOf(route?.action ?? "fail");
		return at < 0 ? 50 : at + 1;
	};
	return signalsOf(work).reduce((best, signal) => (worth(signal) < worth(best) ? signal : best), signalsOf(work)[0] ?? "done");
}

function anySignal(work: Work, luck: Luck): string {
	if (luck.happens(0.04)) return luck.pick(["nonsense", "constructor", "__proto__"]);
	const named = signalsOf(work);
	const failures = Object.keys(work.type.routes).filter((signal) => !named.includes(signal));
	return luck.some(luck.happens(0.6) ? named : failures) ?? "done";
}

function someEdits({ step, state }: Work, luck: Luck): Outcome["edits"] {
	const id = (): string => luck.pick([step.id, `step-00${luck.between(1, 9)}`, "merge-1", ""]);
	const steps = (): object[] =>
		Array.from({ length: luck.between(1, 4) }, () => ({ type: someType(state.definition, luck), description: "more" }));
	const one = (): unknown => {
		const reason = "chance";
		switch (luck.between(1, 7)) {
			case 1:
				return { operation: "restart", target_step_id: step.id, reason, new_description: "again" };
			case 2:
				return { operation: "add_after", target_step_id: id(), reason, new_steps: steps() };
			case 3:
				return { operation: "split", target_step_id: id(), reason, replacement_steps: steps() };
			case 4:
				return { operation: "skip", target_step_id: id(), reason };
			case 5:
				return { operation: "edit_description", target_step_id: id(), reason, new_description: "otherwise" };
			case 6:
				return { operation: "reorder", reason, new_order: [id(), id()] };
			default:
				return "nonsense";
		}
	};
	return luck.happens(0.05) ? { problem: "no JSON" } : { operations: Array.from({ length: luck.between(1, 3) }, one) };
}

const someType = ({ types }: Definition, luck: Luck): string => luck.some(Object.keys(types)) ?? "coding";
