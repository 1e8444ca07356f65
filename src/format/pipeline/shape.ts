// A pipeline as it is written (agents, steps, loops, on_fail), read and checked on its own terms. What it becomes in the language
// of workflows is decided elsewhere.
import { type Path, suggest } from "../../definition/problem.ts";
import type { RawBudget, RawType } from "../../definition/schema.ts";
import type { Notes } from "../../definition/spelling.ts";
import type { PipelineLoop } from "./pipeline.ts";
import { isMap, MapReader } from "./read-map.ts";

export const KINDS = ["analysis", "coding", "verification", "testing", "pr", "scanning"] as const;
export type Kind = (typeof KINDS)[number];

export interface RawAgent {
	readonly id: string;
	readonly name: string;
	readonly kind: Kind;
	readonly description: string;
	readonly model: string | null;
	readonly effort: string | null;
	readonly timeoutMs: number | null;
	/** Name → path from the workflow's folder, which may climb out of it. */
	readonly files: Readonly<Record<string, string>>;
	readonly at: Path;
}

export interface RawStep {
	readonly id: string;
	readonly agent: string;
	readonly loop: PipelineLoop | null;
	readonly input: string;
	readonly expects: string;
	readonly maxRetries: number;
	readonly onFail: RawOnFail;
	readonly publish: boolean;
	/** It is not done as long as nothing was changed. */
	readonly expectsChange: boolean;
	/** Instead of those of its agent. */
	readonly model: string | null;
	readonly effort: string | null;
	/** Keys that mean what they mean in any workflow. */
	readonly plain: PlainKeys;
	readonly at: Path;
}

export type PlainKeys = Pick<RawType, "timeout" | "stall" | "writes" | "checks" | "when">;

export interface RawOnFail {
	readonly retryStep: string | null;
	readonly maxRetries: number | null;
	/** Who decides when all retries are used up. */
	readonly escalate: boolean;
}

export interface RawPipeline {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	readonly intervalMs: number;
	readonly polling: { readonly model: string | null; readonly timeoutMs: number | null };
	/** Who wants to be notified about a run, in addition to `notify` in pawl.yml. */
	readonly notify: string | null;
	readonly context: Readonly<Record<string, string>>;
	readonly budgets: Readonly<Record<string, RawBudget>>;
	readonly agents: readonly RawAgent[];
	readonly steps: readonly RawStep[];
}

const STEP_KEYS =
	"id agent type loop input expects max_retries on_fail publish expects_change model effort timeout stall writes checks when".split(" ");
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const INTERVAL_MS = 300_000;
const MAX_RETRIES = 2;
/** Words that routes use for something else. */
const TAKEN = ["same", "back"];

/** `agents` and `steps` that have an `id`: no other workflow looks like that. */
export function isPipeline(value: unknown): value is Readonly<Record<string, unknown>> {
	if (!isMap(value) || isMap(value["types"])) return false;
	const steps: unknown = value["steps"];
	return (
		Array.isArray(value["agents"]) || (Array.isArray(steps) && steps.some((s) => isMap(s) && "id" in s && ("agent" in s || "input" in s)))
	);
}

export function readPipeline(value: Readonly<Record<string, unknown>>, notes: Notes): RawPipeline {
	const top = new MapReader(value, [], notes);
	top.only("id", "name", "version", "description", "polling", "cron", "context", "notifications", "budgets", "agents", "steps");
	const id = idOf(top, "the name by which it is run");
	const cron = top.map("cron");
	cron.only("interval_ms");
	const polling = top.map("polling");
	polling.only("model", "timeoutSeconds", "timeout_seconds");
	const notifications = top.map("notifications");
	notifications.only("url");
	const agents = top.list("agents").map(readAgent);
	unique(agents, ["agents"], notes);
	const steps = top.list("steps").map(readStep);
	unique(steps, ["steps"], notes);
	for (const step of steps) checkNames(step, agents, steps, notes);
	const loops = steps.filter((s) => s.loop);
	if (loops.length > 1) notes.warn(loops[1]?.at ?? [], "this is a second loop over the stories: the first one leaves none for it", "key");
	return {
		id,
		name: top.text("name") ?? id,
		description: (top.text("description") ?? "").trim(),
		intervalMs: cron.number("interval_ms", 1000) ?? INTERVAL_MS,
		polling: { model: modelOf(polling), timeoutMs: secondsOf(polling) },
		notify: addressOf(notifications),
		context: textsOf(top.map("context"), (key) => key.toLowerCase()),
		budgets: textsOf(top.map("budgets")),
		agents,
		steps,
	};
}

function idOf(reader: MapReader, what: string): string {
	const id = reader.needed("id", what);
	if (id !== "" && !ID.test(id))
		reader.problem("id", `\`${id.slice(0, 80)}\` cannot be an id: letters, digits, \`.\`, \`_\` and \`-\` only`);
	if (TAKEN.includes(id)) reader.problem("id", `\`${id}\` has a meaning of its own in routes: call it something else`);
	return id;
}

function unique(entries: readonly { readonly id: string }[], path: Path, notes: Notes): void {
	entries.forEach(({ id }, at) => {
		if (id !== "" && entries.findIndex((e) => e.id === id) < at) notes.report([...path, at, "id"], `the id \`${id}\` is there twice`);
	});
}

function readAgent(reader: MapReader): RawAgent {
	reader.only("id", "name", "role", "description", "model", "effort", "pollingModel", "timeoutSeconds", "workspace");
	const id = idOf(reader, "steps name their agent by it");
	const workspace = reader.map("workspace");
	workspace.only("baseDir", "files", "skills");
	if (workspace.has("skills"))
		workspace.warning("skills", "`skills` is not used: pawl installs none. What the agent has to know belongs in one of its `files`");
	const files = workspace.map("files");
	return {
		id,
		name: reader.text("name") ?? id,
		// An agent without a kind is one that does the work.
		kind: reader.oneOf("role", KINDS) ?? "coding",
		description: (reader.text("description") ?? "").trim(),
		model: modelOf(reader),
		effort: reader.text("effort"),
		timeoutMs: secondsOf(reader),
		files: Object.fromEntries(
			files.keys().flatMap((name) => {
				const path = files.text(name);
				return path === null ? [] : [[name, path]];
			}),
		),
		at: reader.path,
	};
}

/** `default` means whatever the tool uses, so it counts as no model. */
const modelOf = (reader: MapReader): string | null => {
	const model = reader.text("model");
	return model === "default" || model === "" ? null : model;
};

const secondsOf = (reader: MapReader): number | null => {
	const seconds = reader.number("timeoutSeconds", 1) ?? (reader.has("timeout_seconds") ? reader.number("timeout_seconds", 1) : null);
	return seconds === null ? null : seconds * 1000;
};

function addressOf(reader: MapReader): string | null {
	const url = reader.text("url");
	if (url === null) return null;
	if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
		reader.problem("url", "`url` is an http or https address");
		return null;
	}
	reader.warning("url", "nothing is sent there unless `pawl.yml` allows it: `notify: {workflow: true}`");
	return url;
}

function textsOf(reader: MapReader, nameOf: (key: string) => string = (key) => key): Record<string, string> {
	return Object.fromEntries(
		reader.keys().flatMap((key) => {
			const text = reader.text(key);
			return text === null ? [] : [[nameOf(key), text] as const];
		}),
	);
}

function plainKeys(reader: MapReader): PlainKeys {
	const word = reader.isText("writes") ? reader.oneOf("writes", ["any", "none"]) : null;
	const writes = word ?? (reader.isText("writes") ? null : reader.texts("writes"));
	const [timeout, stall, when, checks] = [reader.text("timeout"), reader.text("stall"), reader.text("when"), reader.texts("checks")];
	return {
		...(timeout === null ? {} : { timeout }),
		...(stall === null ? {} : { stall }),
		...(when === null ? {} : { when }),
		...(checks === null ? {} : { checks }),
		...(writes === null ? {} : { writes }),
	};
}

function readStep(reader: MapReader): RawStep {
	reader.only(...STEP_KEYS);
	const id = idOf(reader, "every step has one");
	const type = reader.oneOf("type", ["single", "loop"]) ?? "single";
	if (type === "loop" && !reader.has("loop")) reader.problem("loop", `\`${id}\` is of type loop, and its \`loop\` settings are missing`);
	if (type === "single" && reader.has("loop")) reader.warning("loop", "`loop` is not used: this step is not of `type: loop`");
	const expects = reader.text("expects")?.trim();
	return {
		id,
		agent: reader.needed("agent", "who does it"),
		loop: type === "loop" && reader.has("loop") ? readLoop(reader.map("loop"), id) : null,
		input: reader.needed("input", "what its agent is told"),
		expects: expects === undefined || expects === "" ? "STATUS: done" : expects,
		maxRetries: reader.number("max_retries", 0) ?? MAX_RETRIES,
		onFail: readOnFail(reader),
		publish: reader.flag("publish") ?? false,
		expectsChange: reader.flag("expects_change") ?? false,
		model: modelOf(reader),
		effort: reader.text("effort"),
		plain: plainKeys(reader),
		at: reader.path,
	};
}

function readLoop(reader: MapReader, step: string): PipelineLoop {
	reader.only(
		"min_stories",
		"over",
		"completion",
		"fresh_session",
		"freshSession",
		"verify_each",
		"verifyEach",
		"verify_step",
		"verifyStep",
	);
	const either = (snake: string, camel: string): string => (reader.has(camel) && !reader.has(snake) ? camel : snake);
	for (const [key, word] of [
		["over", "stories"],
		["completion", "all_done"],
	] as const)
		if (reader.needed(key, `it is \`${word}\``) !== "") reader.oneOf(key, [word]);
	const fresh = reader.flag(either("fresh_session", "freshSession")) ?? true;
	if (!fresh) reader.warning(either("fresh_session", "freshSession"), "this key has no effect: every story gets a fresh session");
	const verifyEach = reader.flag(either("verify_each", "verifyEach")) ?? false;
	const verifyStep = reader.text(either("verify_step", "verifyStep"));
	if (verifyEach && verifyStep === null)
		reader.problem("verify_step", `\`verify_each\` of \`${step}\` needs a \`verify_step\`: the id of the step that verifies a story`);
	const minStories = reader.has("min_stories") ? reader.number("min_stories", 0) : null;
	return {
		over: "stories",
		completion: "all_done",
		freshSession: true,
		verifyEach,
		...(verifyStep === null ? {} : { verifyStep }),
		...(minStories === null ? {} : { minStories }),
	};
}

function readOnFail(step: MapReader): RawOnFail {
	const reader = step.map("on_fail");
	reader.only("retry_step", "max_retries", "on_exhausted", "escalate_to");
	const word = reader.isText("on_exhausted") ? reader.oneOf("on_exhausted", ["fail", "escalate"]) : null;
	const exhausted = reader.isText("on_exhausted") ? null : reader.map("on_exhausted");
	exhausted?.only("escalate_to");
	for (const where of [reader, exhausted])
		if (where?.has("escalate_to") && where.text("escalate_to") !== "human")
			where.warning("escalate_to", "`human` is the only possible value: pawl asks a person");
	return {
		retryStep: reader.text("retry_step"),
		maxRetries: reader.number("max_retries", 0),
		escalate: word === "escalate" || reader.has("escalate_to") || (exhausted?.has("escalate_to") ?? false),
	};
}

function checkNames(step: RawStep, agents: readonly RawAgent[], steps: readonly RawStep[], notes: Notes): void {
	const ids = steps.map((s) => s.id);
	const among = (name: string, known: readonly string[], path: Path, what: string): void => {
		if (!known.includes(name)) notes.report(path, `there is no ${what} \`${name}\`${suggest(name, known)}`);
	};
	if (step.agent !== "")
		among(
			step.agent,
			agents.map((a) => a.id),
			[...step.at, "agent"],
			"agent",
		);
	const verify = step.loop?.verifyStep;
	if (verify !== undefined && step.loop?.verifyEach) {
		among(verify, ids, [...step.at, "loop", "verify_step"], "step");
		if (verify === step.id || steps.some((s) => s.id === verify && s.loop))
			notes.report([...step.at, "loop", "verify_step"], `\`${verify}\` is a loop: a story is verified by a single step`);
	}
	const { retryStep } = step.onFail;
	if (retryStep === null) return;
	among(retryStep, ids, [...step.at, "on_fail", "retry_step"], "step");
	if (ids.indexOf(retryStep) > ids.indexOf(step.id))
		notes.report([...step.at, "on_fail", "retry_step"], `\`${retryStep}\` comes after \`${step.id}\`: work goes back to an earlier step`);
}
