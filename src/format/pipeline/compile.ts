// A pipeline in the language of workflows: a loop becomes an `each` with the story's steps, `verify_each` a way back to the
// developer, `on_fail` a goto or a detour. There is no second engine: what comes out is a definition like any other.
import type { Wish } from "../../core/assign/assignment.ts";
import type { Definition, PlannedStep, Role, StepType, Writes } from "../../core/definition.ts";
import { PROMPT_VARIABLES, templateNames } from "../../core/template.ts";
import type { Notes, ReadFile } from "../../definition/spelling.ts";
import { BLOCKED, grammar } from "./answers.ts";
import { NOTES_KEEPER, type PipelineStep, withPipeline } from "./pipeline.ts";
import { FRAME, fixPrompt } from "./prompts.ts";

import { checkRoutes, fixRoutes, loopRoutes, mergeRoutes, publishRoutes, reasonField, singleRoutes, verifyRoutes } from "./routes.ts";

import type { Kind, RawAgent, RawPipeline, RawStep } from "./shape.ts";
import { warnOfUnknown } from "./variables.ts";

const TIMEOUT_MS = 30 * 60_000;
const FRAME_KEY = "frame";
/** Keys that a prompt may use although no step of the pipeline reports them. */
const KEYS =
	"BASELINE PR_TITLE PR_BODY STATUS REPO BRANCH STORIES_JSON CHANGES TESTS BUILD_CMD TEST_CMD RESULTS PR DECISION FEEDBACK ISSUES FAILURES VERIFIED".split(
		" ",
	);

interface MayDo {
	readonly writes: Writes;
	readonly can: Role["can"];
}

const MAY: Readonly<Record<Kind, MayDo>> = {
	analysis: { writes: "none", can: [] },
	coding: { writes: "any", can: ["run", "commit", "network"] },
	verification: { writes: "none", can: ["run"] },
	testing: { writes: "none", can: ["run", "network"] },
	pr: { writes: "none", can: ["run", "network"] },
	scanning: { writes: "none", can: ["run", "network"] },
};

/** The definition without its hash, which is computed from it. */
export function compilePipeline(raw: RawPipeline, readFile: ReadFile, notes: Notes): Omit<Definition, "hash"> {
	const prompts: Record<string, string> = { [FRAME_KEY]: FRAME };
	const roles = Object.fromEntries(raw.agents.map((agent) => [agent.id, roleOf(agent, readFile, prompts, notes)]));
	for (const step of raw.steps) prompts[inputKey(step.id)] = step.input;
	warnOfUnknown(raw, prompts, KEYS, notes);
	const types: Record<string, StepType> = {};
	const add = (type: StepType): PlannedStep => {
		types[type.name] = type;
		return { type: type.name };
	};
	const make = new Maker(raw, prompts);
	for (const step of raw.steps)
		if (step.expectsChange && !make.mayChange(step))
			notes.report(
				[...step.at, "expects_change"],
				`\`${step.agent}\` may not change files in \`${step.id}\`, so no change can be expected`,
				"key",
			);
	const steps: PlannedStep[] = [];
	for (const step of raw.steps.filter((s) => !make.isVerify(s))) {
		if (step.loop) {
			const story = make.story(step).map(add);
			steps.push(add(make.each(step, story)));
			continue;
		}
		for (const fix of make.fixes(step)) add(fix);
		steps.push(add(make.single(step)));
		// Nobody has to look at work that fails the checks.
		if (step.expectsChange) steps.push(add(make.checks(step)));
		if (make.publishes(step)) steps.push(add(make.publish(step)));
	}
	return {
		name: raw.id,
		title: raw.name,
		description: raw.description,
		resume: "yes",
		inputs: { request: { reader: "task", workspace: "branch" } },
		roles,
		types,
		steps,
		abort: [],
		budgets: {},
		limits: { steps: 30, restarts: 3 },
		prompts,
		projections: raw.steps.some((s) => s.loop) ? ["progress"] : [],
		ids: "named",
		fields: raw.context,
		...withPipeline({ steps: raw.steps.map((s) => make.written(s)), intervalMs: raw.intervalMs, polling: raw.polling, notify: raw.notify }),
	};
}

const inputKey = (step: string): string => `steps/${step}`;
const eachName = (loop: string): string => `${loop}.stories`;
const fixName = (step: string): string => `${step}-fix`;
const publishName = (step: string): string => `${step}.publish`;

function roleOf(agent: RawAgent, readFile: ReadFile, prompts: Record<string, string>, notes: Notes): Role {
	const files: Record<string, string> = {};
	for (const { name, path, at } of agent.files) {
		const read = readFile(path);
		if ("problem" in read) notes.report(at, read.problem);
		else {
			prompts[path] = read.text;
			files[name] = path;
		}
	}
	return {
		name: agent.id,
		description: agent.description === "" ? agent.name : agent.description,
		report: grammar("STATUS: done", "", false),
		can: MAY[agent.kind].can,
		frame: FRAME_KEY,
		files,
		...wishOf(agent),
	};
}

const wishOf = ({ model, effort }: Pick<RawAgent, "model" | "effort">): Wish => ({
	...(model === null ? {} : { model }),
	...(effort === null ? {} : { effort }),
});

class Maker {
	private readonly raw: RawPipeline;
	private readonly prompts: Record<string, string>;

	constructor(raw: RawPipeline, prompts: Record<string, string>) {
		this.raw = raw;
		this.prompts = prompts;
	}

	isVerify(step: RawStep): boolean {
		return this.loopOf(step) !== undefined;
	}

	mayChange(step: RawStep): boolean {
		return !this.publishes(step) && this.may(step.agent).writes === "any";
	}

	written(step: RawStep): PipelineStep {
		return {
			id: step.id,
			agent: step.agent,
			type: step.loop ? "loop" : "single",
			root: this.isVerify(step) ? null : step.loop ? eachName(step.id) : step.id,
			loop: step.loop,
			input: inputKey(step.id),
			expects: step.expects,
			maxRetries: step.maxRetries,
		};
	}

	single(step: RawStep): StepType {
		const target = this.targetOf(step);
		const goes = target === null ? null : target.loop || this.isVerify(target) ? fixName(step.id) : target.id;
		const tell = [`${step.id}_feedback`, "feedback", ...(goes === null ? [] : this.reasons(goes, step.id))];
		const type = this.agentStep(step, singleRoutes(step, goes === null ? null : { type: goes, tell }));
		return step.expectsChange ? { ...type, expectsChange: true } : type;
	}

	/** The detour that repairs what this step sends back, if it sends back to the loop. */
	fixes(step: RawStep): StepType[] {
		const target = this.targetOf(step);
		const loop = target === null ? undefined : target.loop ? target : this.loopOf(target);
		if (!loop) return [];
		const name = fixName(step.id);
		const key = inputKey(name);
		const input = fixPrompt(step.id);
		this.prompts[key] = input;
		const before = this.raw.steps.slice(0, this.raw.steps.indexOf(step)).findLast((s) => this.publishes(s));
		const routes = fixRoutes(step, name, before ? publishName(before.id) : "back");
		const type = this.agentStep({ ...loop, input, expects: "STATUS: done" }, routes);
		return [
			{
				...type,
				name,
				prompt: key,
				detour: true,
				description: `${this.agent(loop.agent)?.name ?? loop.agent} mends what ${step.id} found`,
			},
		];
	}

	/** A story's own steps. */
	story(loop: RawStep): StepType[] {
		const verify = this.raw.steps.find((s) => this.loopOf(s) === loop);
		const type = this.agentStep(loop, loopRoutes(loop));
		// A story that leaves no change fails, so nobody has to look at one.
		const work: StepType = this.mayChange(loop) ? { ...type, expectsChange: true } : type;
		const verifies: StepType[] = [];
		if (verify) {
			const tell = ["verify_feedback", ...(verify.id === "verify" ? [] : [`${verify.id}_feedback`]), ...this.reasons(loop.id, "verify")];
			verifies.push({ ...this.agentStep(verify, verifyRoutes(verify, loop, tell)), judges: [] });
		}
		// Stories that ran side by side come together on the run's branch, each as one commit.
		const merge: StepType = {
			...engineStep(`${loop.id}.merge`, "merge", "The story's work goes onto the branch of the run"),
			when: [
				{ field: "story_trees", op: "is", value: "true" },
				{ field: "changed", op: "is", value: "true" },
			],
			routes: mergeRoutes(loop),
		};
		const checks: StepType = {
			...this.checks(loop),
			proves: true,
			when: [
				{ field: "story_trees", op: "is_not", value: "true" },
				{ field: "changed", op: "is", value: "true" },
			],
		};
		// Nobody has to look at work that fails the checks, and whoever looks changes nothing.
		return [work, checks, ...verifies, merge];
	}

	checks(step: RawStep): StepType {
		const whose = step.loop ? "the story's work" : "the work";
		return {
			...engineStep(`${step.id}.checks`, "checks", `The repository's own checks pass on ${whose}`),
			timeoutMs: 60 * 60_000,
			routes: checkRoutes(step),
		};
	}

	each(loop: RawStep, steps: readonly PlannedStep[]): StepType {
		return {
			...engineStep(eachName(loop.id), "", "The stories, one after the other"),
			kind: "each",
			timeoutMs: 0,
			routes: { done: { action: "next" } },
			each: {
				steps,
				concurrency: 0,
				order: "list",
				onFailure: "fail_run",
				// An agent that may not write cannot be asked for a change.
				expectsChange: this.mayChange(loop),
				onlyDeclared: true,
				atLeast: loop.loop?.minStories ?? 0,
			},
		};
	}

	publishes(step: RawStep): boolean {
		return !step.loop && !this.isVerify(step) && (step.publish || step.id === "pr" || this.agent(step.agent)?.kind === "pr");
	}

	publish(step: RawStep): StepType {
		return {
			...engineStep(publishName(step.id), "forge.pull-request", "The pull request is opened, or written down ready to be opened"),
			delivers: true,
			routes: publishRoutes(),
		};
	}

	private agentStep(step: RawStep, routes: StepType["routes"]): StepType {
		const agent = this.agent(step.agent);
		const sendsBack = this.isVerify(step) || (step.loop === null && this.targetOf(step) !== null);
		const report = grammar(step.expects, step.input, sendsBack, (key) => this.isGiven(key.toLowerCase(), step));
		const mayBlock = report.signals.some(({ signal }) => signal === BLOCKED);
		return {
			...engineStep(step.id, "", this.describe(step, agent)),
			kind: "agent",
			role: step.agent,
			keeper: NOTES_KEEPER,
			prompt: inputKey(step.id),
			report,
			timeoutMs: agent?.timeoutMs ?? TIMEOUT_MS,
			// The author of the pull request's text is done with the code.
			writes: this.publishes(step) ? "none" : this.may(step.agent).writes,
			byEngine: false,
			internal: false,
			...wishOf(step),
			routes: mayBlock ? { ...routes, [BLOCKED]: { action: "wait", target: "person" } } : routes,
		};
	}

	/** What its agent is for; an agent that also writes the pull request is for something else most of the time. */
	private describe(step: RawStep, agent: RawAgent | undefined): string {
		const others = this.raw.steps.some((one) => one.agent === step.agent && one.id !== step.id);
		const what = this.publishes(step) && others ? "Writes the pull request's text" : (agent?.description.split("\n")[0] ?? "");
		return `${agent?.name ?? step.agent}: ${what}`.replace(/:\s*$/, "");
	}

	private loopOf(verify: RawStep): RawStep | undefined {
		return this.raw.steps.find((s) => s.loop?.verifyEach && s.loop.verifyStep === verify.id);
	}

	/** Where its `STATUS: retry` leads. */
	private targetOf(step: RawStep): RawStep | null {
		const { retryStep } = step.onFail;
		return retryStep === null || retryStep === step.id ? null : (this.raw.steps.find((s) => s.id === retryStep) ?? null);
	}

	/** What pawl gives under the same name does not come from the report. */
	private isGiven(name: string, by: RawStep): boolean {
		const isOwn = PROMPT_VARIABLES.some((own) => own === name);
		return !isOwn && this.raw.steps.some((step) => step.id !== by.id && templateNames(step.input).includes(name));
	}

	/** If a step's own text does not mention what came back, the frame does. */
	private reasons(type: string, from: string): string[] {
		const text = this.prompts[inputKey(type)] ?? "";
		const names = templateNames(text);
		const says = names.includes("feedback") || names.includes(`${from}_feedback`) || (from === "verify" && names.includes("sent_back"));
		return says || type === fixName(from) ? [] : [reasonField(type)];
	}

	private agent(id: string): RawAgent | undefined {
		return this.raw.agents.find((a) => a.id === id);
	}

	private may(agent: string): MayDo {
		return MAY[this.agent(agent)?.kind ?? "coding"];
	}
}

const engineStep = (name: string, action: string, description: string): StepType => ({
	name,
	kind: "action",
	description,
	...(action === "" ? {} : { action }),
	timeoutMs: 10 * 60_000,
	writes: "any",
	edits: false,
	mandatory: false,
	last: false,
	byEngine: true,
	internal: action !== "",
	detour: false,
	checks: [],
	when: [],
	routes: {},
	session: "fresh",
});
