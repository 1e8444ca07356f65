// A pipeline in the language of workflows: a loop becomes an `each` with the story's steps, `verify_each` a way back to the
// developer, `on_fail` a goto or a detour. There is no second compiler and no second engine: what comes out is a raw workflow like any other.
import type { Wish } from "../../core/assign/assignment.ts";
import type { Role } from "../../core/definition.ts";
import { PROMPT_VARIABLES, templateNames } from "../../core/template.ts";
import type { Path } from "../../definition/problem.ts";
import type { RawRole, RawType, RawWorkflow } from "../../definition/schema.ts";
import type { Notes, Spelled } from "../../definition/spelling.ts";
import { BLOCKED, grammar } from "./answers.ts";
import { NOTES_KEEPER, type PipelineStep, withPipeline } from "./pipeline.ts";
import { FRAME, fixPrompt } from "./prompts.ts";
import {
	checkRoutes,
	fixRoutes,
	loopRoutes,
	mergeRoutes,
	publishRoutes,
	type Routes,
	reasonField,
	singleRoutes,
	verifyRoutes,
} from "./routes.ts";
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
	readonly writes: "any" | "none";
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

/** A step type and its name. */
interface Named {
	readonly name: string;
	readonly type: RawType;
	/** The step that it was made from. */
	readonly from: RawStep;
}

export function spellPipeline(raw: RawPipeline, notes: Notes): Spelled {
	const texts: Record<string, string> = { [FRAME_KEY]: FRAME };
	for (const step of raw.steps) texts[inputKey(step.id)] = step.input;
	warnOfUnknown(raw, texts, KEYS, notes);
	const types: Record<string, RawType> = {};
	const origins = new Map<string, RawStep>();
	const add = ({ name, type, from }: Named): string => {
		types[name] = type;
		origins.set(name, from);
		return name;
	};
	const make = new Maker(raw, texts);
	for (const step of raw.steps)
		if (step.expectsChange && !make.mayChange(step))
			notes.report(
				[...step.at, "expects_change"],
				`\`${step.agent}\` may not change files in \`${step.id}\`, so no change can be expected`,
				"key",
			);
	const steps: string[] = [];
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
	const workflow: RawWorkflow = {
		name: raw.id,
		title: raw.name,
		description: raw.description,
		inputs: { request: { reader: "task", workspace: "branch" } },
		fields: raw.context,
		ids: "named",
		roles: Object.fromEntries(raw.agents.map((agent) => [agent.id, roleOf(agent)])),
		types,
		steps,
		projections: raw.steps.some((s) => s.loop) ? ["progress"] : [],
		...(Object.keys(raw.budgets).length === 0 ? {} : { budgets: raw.budgets }),
	};
	return {
		workflow,
		broken: new Set(),
		texts,
		variables: "checked",
		...withPipeline({ steps: raw.steps.map((s) => make.written(s)), intervalMs: raw.intervalMs, polling: raw.polling, notify: raw.notify }),
		at: (path) => placeOf(path, raw, origins),
	};
}

/** Where the pipeline says what the raw workflow has at this path. */
function placeOf([map, name, key, ...rest]: Path, raw: RawPipeline, origins: ReadonlyMap<string, RawStep>): Path {
	if (map === "types") {
		const step = origins.get(String(name));
		if (!step || key === undefined) return step?.at ?? [];
		return [
			...step.at,
			...(key === "prompt" ? ["input"] : key === "role" ? ["agent"] : Object.hasOwn(step.plain, key) ? [key, ...rest] : []),
		];
	}
	if (map === "budgets") return [map, ...(name === undefined ? [] : [name])];
	const agent = map === "roles" ? raw.agents.find(({ id }) => id === name) : undefined;
	return agent ? [...agent.at, ...(key === "files" ? ["workspace", "files", ...rest] : [])] : [];
}

const inputKey = (step: string): string => `steps/${step}`;
const eachName = (loop: string): string => `${loop}.stories`;
const fixName = (step: string): string => `${step}-fix`;
const publishName = (step: string): string => `${step}.publish`;

const roleOf = (agent: RawAgent): RawRole => ({
	description: agent.description === "" ? agent.name : agent.description,
	report: grammar("STATUS: done", "", false),
	can: [...MAY[agent.kind].can],
	// What it may do is told to agents that keep to it themselves; pawl looks at what was written.
	bounded: false,
	frame: FRAME_KEY,
	files: agent.files,
	...wishOf(agent),
});

const wishOf = ({ model, effort }: Pick<RawAgent, "model" | "effort">): Wish => ({
	...(model === null ? {} : { model }),
	...(effort === null ? {} : { effort }),
});

class Maker {
	private readonly raw: RawPipeline;
	private readonly texts: Record<string, string>;

	constructor(raw: RawPipeline, texts: Record<string, string>) {
		this.raw = raw;
		this.texts = texts;
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

	single(step: RawStep): Named {
		const target = this.targetOf(step);
		const goes = target === null ? null : target.loop || this.isVerify(target) ? fixName(step.id) : target.id;
		const tell = [`${step.id}_feedback`, "feedback", ...(goes === null ? [] : this.reasons(goes, step.id))];
		return this.agentStep(step, singleRoutes(step, goes === null ? null : { type: goes, tell }), step.expectsChange);
	}

	/** The detour that repairs what this step sends back, if it sends back to the loop. */
	fixes(step: RawStep): Named[] {
		const target = this.targetOf(step);
		const loop = target === null ? undefined : target.loop ? target : this.loopOf(target);
		if (!loop) return [];
		const name = fixName(step.id);
		const key = inputKey(name);
		const input = fixPrompt(step.id);
		this.texts[key] = input;
		const before = this.raw.steps.slice(0, this.raw.steps.indexOf(step)).findLast((s) => this.publishes(s));
		const routes = fixRoutes(step, name, before ? publishName(before.id) : "back");
		const { type } = this.agentStep({ ...loop, input, expects: "STATUS: done" }, routes);
		const description = `${this.agent(loop.agent)?.name ?? loop.agent} mends what ${step.id} found`;
		return [{ name, from: step, type: { ...type, prompt: key, detour: true, description } }];
	}

	/** A story's own steps. */
	story(loop: RawStep): Named[] {
		const verify = this.raw.steps.find((s) => this.loopOf(s) === loop);
		// A story that leaves no change fails, so nobody has to look at one.
		const work = this.agentStep(loop, loopRoutes(loop), this.mayChange(loop));
		const verifies: Named[] = [];
		if (verify) {
			const tell = ["verify_feedback", ...(verify.id === "verify" ? [] : [`${verify.id}_feedback`]), ...this.reasons(loop.id, "verify")];
			const { name, type, from } = this.agentStep(verify, verifyRoutes(verify, loop, tell));
			verifies.push({ name, from, type: { ...type, judges: true } });
		}
		// Stories that ran side by side come together on the run's branch, each as one commit.
		const description = "The story's work goes onto the branch of the run";
		const merge = engineStep(loop, `${loop.id}.merge`, { action: "merge", description, when: TOGETHER }, mergeRoutes(loop));
		// Nobody has to look at work that fails the checks, and whoever looks changes nothing.
		return [work, this.checks(loop), ...verifies, merge];
	}

	checks(step: RawStep): Named {
		const story = step.loop !== null;
		return engineStep(
			step,
			`${step.id}.checks`,
			{
				action: "checks",
				description: `The repository's own checks pass on ${story ? "the story's work" : "the work"}`,
				timeout: "1h",
				// Those of a single step are a first look: what is delivered is checked right before that.
				...(story ? { when: ALONE } : { proves: false }),
			},
			checkRoutes(step),
		);
	}

	each(loop: RawStep, steps: string[]): Named {
		return {
			name: eachName(loop.id),
			from: loop,
			type: {
				description: "The stories, one after the other",
				by: "engine",
				on: { done: "next" },
				each: {
					steps,
					concurrency: "$agents",
					// An agent that may not write cannot be asked for a change.
					expects_change: this.mayChange(loop),
					only_declared: true,
					at_least: loop.loop?.minStories ?? 0,
				},
			},
		};
	}

	publishes(step: RawStep): boolean {
		return !step.loop && !this.isVerify(step) && (step.publish || step.id === "pr" || this.agent(step.agent)?.kind === "pr");
	}

	publish(step: RawStep): Named {
		const description = "The pull request is opened, or written down ready to be opened";
		return engineStep(step, publishName(step.id), { action: "forge.pull-request", description, delivers: true }, publishRoutes());
	}

	private agentStep(step: RawStep, routes: Routes, expectsChange = false): Named {
		const agent = this.agent(step.agent);
		const sendsBack = this.isVerify(step) || (step.loop === null && this.targetOf(step) !== null);
		const report = grammar(step.expects, step.input, sendsBack, (key) => this.isGiven(key.toLowerCase(), step));
		const { unchanged, ...others } = routes;
		const type: RawType = {
			description: this.describe(step, agent),
			role: step.agent,
			keeper: NOTES_KEEPER,
			prompt: inputKey(step.id),
			report,
			timeout: `${agent?.timeoutMs ?? TIMEOUT_MS}ms`,
			// The author of the pull request's text is done with the code.
			writes: this.publishes(step) ? "none" : this.may(step.agent).writes,
			...wishOf(step),
			...this.plainOf(step),
			...(expectsChange ? { expects_change: true } : {}),
			on: {
				...others,
				...(expectsChange && unchanged ? { unchanged } : {}),
				...(report.signals?.[BLOCKED] === undefined ? {} : { [BLOCKED]: "wait person" }),
			},
		};
		return { name: step.id, from: step, type };
	}

	/** The step may narrow what its agent may write, and not widen it. */
	private plainOf(step: RawStep): RawStep["plain"] {
		const { writes, ...plain } = step.plain;
		return writes === undefined || !this.mayChange(step) ? plain : { ...plain, writes };
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
		const text = this.texts[inputKey(type)] ?? "";
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

/** Several stories at a time, each in a worktree of its own; or one after the other on the branch of the run. */
const TOGETHER = ["story_trees is true", "changed is true"];
const ALONE = ["story_trees is not true", "changed is true"];

const engineStep = (from: RawStep, name: string, type: RawType, on: Routes): Named => ({
	name,
	from,
	type: { timeout: "10m", internal: true, by: "engine", ...type, signals: Object.keys(on), on },
});
