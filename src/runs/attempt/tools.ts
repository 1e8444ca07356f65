// The tools of an agent during its attempt. They do what the agent could also do by writing files and lines of text, with the same checks,
// but answer at once.
import { RUN_SCOPE, type RunState, type Step } from "../../core/model.ts";
import { grammarOf, typeOf } from "../../core/query.ts";
import { fieldsOf, type GivenReport, readGiven, signalsOf } from "../../core/report/given.ts";
import { asJson } from "../../core/text/foreign-json.ts";
import { putReport } from "../../engine/attempt/report-box.ts";
import { EditFiles, MAX_BYTES as MAX_EDIT_BYTES } from "../../engine/edit-file.ts";
import { Scratch } from "../../engine/scratch.ts";
import { type Answer, asCaller, type Caller, type Desk, no, yes } from "./caller.ts";
import { decideAs } from "./edits.ts";

/** A longer note would push everything else out of the prompts that show it. */
export const NOTE_CHARACTERS = 16_384;
const SHOWN_CHARACTERS = 4000;

/** What an agent needs to know before it can report. */
export interface Introduction {
	/** Which step it is doing, or why it is doing none. */
	readonly text: string;
	readonly ok: boolean;
	readonly signals: readonly string[];
	readonly fields: readonly string[];
}

export async function introduce(desk: Desk): Promise<Introduction> {
	let known: Pick<Introduction, "signals" | "fields"> = { signals: [], fields: [] };
	const answer = await asCaller(desk, ({ state, step, story, ticket }) => {
		const grammar = grammarOf(state.definition, step, ticket.role);
		known = { signals: signalsOf(grammar), fields: fieldsOf(grammar) };
		return yes(`You are doing ${step.id} (${step.type})${story === null ? "" : ` of the story ${story.id}`}.`);
	});
	return { ...known, ...answer };
}

export function report(desk: Desk, given: GivenReport): Promise<Answer> {
	return asCaller(desk, async ({ state, step, ticket }) => {
		const read = readGiven(grammarOf(state.definition, step, ticket.role), given);
		if (!read.ok) return no(`The report was not taken:\n${list(read.problems)}`);
		await putReport(desk.env, given);
		const ignored = read.ignored.length === 0 ? "" : ` These fields mean nothing here and are ignored: ${read.ignored.join(", ")}.`;
		return yes(`Taken: ${read.report.signal}. A later report replaces it; it counts when this step has ended well.${ignored}`);
	});
}

/** Fields of a report as texts: an agent may give lists and objects. What is nested too deeply to be written counts as nothing. */
export function fieldTexts(fields: Readonly<Record<string, unknown>>): Record<string, string> {
	return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? value : (asJson(value) ?? "")]));
}

/** Operations of several calls add up, as in one file; an empty list takes back all earlier operations. */
export function editWorkflow(desk: Desk, operations: readonly unknown[]): Promise<Answer> {
	return asCaller(desk, async ({ state, story, step, ticket }) => {
		if (story === null) return no(`${step.id} is a step of the run, not of a story: there are no steps that it could edit`);
		const files = new EditFiles(ticket.sharedDir);
		if (operations.length === 0) {
			await files.settle(story.id, "", "applied", []);
			return yes("Nothing is asked for any more: the steps stay as they are.");
		}
		const earlier = await files.read(story.id);
		const before = earlier !== null && "operations" in earlier && Array.isArray(earlier.operations) ? earlier.operations : [];
		const all = [...before, ...operations];
		const decision = decideAs(state, story, step, { operations: all });
		const kept = before.length === 0 ? "" : ` The ${before.length} of earlier calls still stand.`;
		if (!decision.ok) return no(`Not taken, none of these operations:\n${list(decision.reasons)}\n${kept.trim()}`.trim());
		const content = asJson(all);
		if (content === null) return no("Not taken: these operations are nested too deeply");
		if (Buffer.byteLength(content) > MAX_EDIT_BYTES) return no(`Not taken: all operations together have more than ${MAX_EDIT_BYTES} bytes`);
		await files.put(story.id, content);
		const order = decision.edits.at(-1)?.order ?? [];
		return yes(`Accepted; it happens when this step has ended well. The steps will be: ${visible(state, story.scope.steps, order)}`);
	});
}

export function note(desk: Desk, text: string, where: "story" | "all"): Promise<Answer> {
	return asCaller(desk, async (caller) => {
		const scope = where === "all" ? RUN_SCOPE : caller.ticket.scope;
		await new Scratch(caller.ticket.sharedDir).add(scope, `\n- [${whoOf(caller)} ${iso(desk)}] ${text.trim()}\n`);
		return yes(scope === RUN_SCOPE ? "Noted, for every story." : "Noted, for the later steps of this story.");
	});
}

export function learn(desk: Desk, text: string): Promise<Answer> {
	return asCaller(desk, async (caller) => {
		await new Scratch(caller.ticket.sharedDir).add(RUN_SCOPE, `\n## Learned (${whoOf(caller)}, ${iso(desk)})\n\n${text.trim()}\n`);
		return yes("Kept, for every story.");
	});
}

export function readStory(desk: Desk): Promise<Answer> {
	return asCaller(desk, ({ state, story, step, ticket }) => {
		const grammar = grammarOf(state.definition, step, ticket.role);
		const you = { step: step.id, type: step.type, role: ticket.role, attempt: ticket.attempt, signals: signalsOf(grammar) };
		const steps = (story?.scope ?? state.root).steps.filter((one) => !typeOf(state, one)?.internal).map(shown);
		const about =
			story === null
				? { run: state.title, stories: state.stories.map(({ id, title, status }) => ({ id, title, status })) }
				: { story: { id: story.id, title: story.title, description: story.description, criteria: story.criteria, status: story.status } };
		return yes(JSON.stringify({ ...about, you, steps }, null, 2));
	});
}

function shown({ id, type, status, description, notes, error, skipReason }: Step): object {
	return { id, type, status, description, notes: cut(notes), error: cut(error), ...(skipReason === null ? {} : { skipReason }) };
}

const cut = (text: string | null): string | null =>
	text !== null && text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}\n[cut: too long]` : text;

/** Without the engine's own steps, which agents do not know about. */
function visible(state: RunState, steps: readonly Step[], order: readonly string[]): string {
	const internal = new Set(steps.filter((one) => typeOf(state, one)?.internal).map((one) => one.id));
	return order.filter((id) => !internal.has(id)).join(", ");
}

const whoOf = ({ story, step }: Caller): string => (story === null ? step.id : `${story.id} ${step.id}`);
const iso = (desk: Desk): string => new Date(desk.now()).toISOString();
const list = (reasons: readonly string[]): string => reasons.map((reason) => `- ${reason}`).join("\n");
