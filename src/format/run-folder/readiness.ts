// Whether a run folder is ready: what is missing (the run is refused), and what is weak (a warning: the loop may drift).
import { parseSchedule } from "../../core/decide/loop-schedule.ts";
import { objectIn, RALPH, type RunFolder } from "./folder.ts";
import { idOf, type PrdDoc, passes, readDoc, settingsOf, textsIn, wordOf } from "./stories.ts";

export interface Readiness {
	readonly missing: readonly string[];
	readonly weak: readonly string[];
	/** null if it cannot be read. */
	readonly doc: PrdDoc | null;
}

const FILES = ["PRD.md", "prd.json", "PROMPT.md", "progress.md"];

interface Demand {
	readonly what: string;
	/** All of these must match. */
	readonly signs: readonly RegExp[];
}

/** The six things that a prompt must say. Wording differs, so it is searched for key words, not sentences. */
export const DEMANDS: readonly Demand[] = [
	{ what: "read-first instructions (what to read before anything else)", signs: [/\bread\b/i] },
	{ what: 'how to pick the next story ("pick next story where passes=false")', signs: [/passes\W{0,6}(?:is|=|:)?\W{0,4}false/i] },
	{ what: "implement + test + commit", signs: [/\bimplement/i, /\b(?:test|verif)/i, /\bcommit/i] },
	{
		what: "set passes=true only when the criteria are met",
		signs: [/passes\W{0,6}(?:is|=|:|to)?\W{0,4}true/i, /criteri|verif|\bonly\b/i],
	},
	{ what: "append a progress entry", signs: [/progress/i, /\b(?:append|add|log|write|record|update)/i] },
	{ what: "the completion promise tag, <promise>TEXT</promise>", signs: [/<promise>[^<]*\S[^<]*<\/promise>/i] },
];

export function readiness(folder: RunFolder): Readiness {
	if (!folder.exists()) return { missing: [`there is no folder ${folder.own()}`], weak: [], doc: null };
	const missing: string[] = [];
	const weak: string[] = [];
	const texts = new Map<string, string>();
	for (const name of FILES) {
		const found = folder.read(folder.own(name));
		if ("text" in found) texts.set(name, found.text);
		else missing.push("missing" in found ? `${name} is missing` : `${name}: ${found.problem}`);
	}
	const doc = prdOf(texts.get("prd.json"), missing, weak);
	const prompt = texts.get("PROMPT.md");
	if (prompt !== undefined) missing.push(...promptProblems(prompt));
	if (texts.get("PRD.md")?.trim() === "") weak.push("PRD.md is empty");
	const todos = todosIn(texts.get("PRD.md") ?? "");
	if (todos > 0 && todos < TEMPLATE_TODOS) weak.push(`PRD.md still has ${todos === 1 ? "a TODO line" : `${todos} TODO lines`}`);
	missing.push(...templateProblems(texts));
	missing.push(...orchestrationProblems(folder));
	return { missing, weak, doc };
}

function prdOf(text: string | undefined, missing: string[], weak: string[]): PrdDoc | null {
	if (text === undefined) return null;
	const read = readDoc(text);
	if (!read.ok) {
		missing.push(...read.problems.map((problem) => `prd.json: ${problem}`));
		return null;
	}
	const templates = read.doc.stories.filter((story) => !passes(story) && isTemplate(story));
	missing.push(...templates.map((story) => `prd.json: story ${idOf(story)} still has the text of the template`));
	weak.push(...weakStories(read.doc).map((what) => `prd.json: ${what}`));
	weak.push(...settingsWeaknesses(read.doc));
	return read.doc;
}

/** Texts that nobody replaced, in pawl's templates and in those of other tools. */
const TEMPLATE_TEXT = /^TODO\b|^<[^<>]+>$|^First atomic story$|^Objective check \d/;
const isTemplate = (story: Record<string, unknown>): boolean =>
	[story["title"], ...criteriaOf(story)].some((text) => TEMPLATE_TEXT.test(wordOf(text).trim()));

function templateProblems(texts: ReadonlyMap<string, string>): string[] {
	const [prd = "", prompt = ""] = ["PRD.md", "PROMPT.md"].map((name) => texts.get(name));
	const heading = /^#+ (?:PRD: ?)?(<[A-Za-z][^<>]*>)\s*$/m.exec(prd)?.[1];
	return [
		...(todosIn(prd) >= TEMPLATE_TODOS ? ["PRD.md is still the template: write what its TODO lines ask for"] : []),
		...(heading === undefined ? [] : [`PRD.md is still a template: ${heading} is to be replaced`]),
		...(prompt.includes("runs/<run_id>/") ? ["PROMPT.md still has the placeholder <run_id> in its paths"] : []),
	];
}

/** How many lines of pawl's template of PRD.md wait for a text if nobody said what is to be built. */
const TEMPLATE_TODOS = 4;
const todosIn = (text: string): number => text.split("\n").filter((line) => line.startsWith("TODO: ")).length;

/** Weaknesses of stories that do not pass yet. */
export const weakStories = (doc: PrdDoc): string[] =>
	doc.stories.flatMap((story, i) => (passes(story) ? [] : weaknesses(doc, story, i).map((what) => `story ${idOf(story)} ${what}`)));

export function promptProblems(text: string): string[] {
	if (text.includes("\uFFFD")) return ["PROMPT.md is not UTF-8 text: it could not be given on byte for byte"];
	const names = ["PRD.md", "prd.json", "progress.md"].filter((name) => !text.includes(name));
	return [
		...(names.length > 0 ? [`PROMPT.md does not name ${names.join(", ")}`] : []),
		...DEMANDS.filter(({ signs }) => !signs.every((sign) => sign.test(text))).map(({ what }) => `PROMPT.md does not say: ${what}`),
	];
}

function orchestrationProblems(folder: RunFolder): string[] {
	const problems: string[] = [];
	for (const name of ["run.json", "control.json", "orchestration.json", "loop_state.json"]) {
		const found = folder.read(folder.own(name));
		if ("problem" in found) problems.push(`${name}: ${found.problem}`);
		else if ("text" in found && objectIn(found.text) === null) problems.push(`${name} holds no JSON object`);
	}
	const config = objectIn(folder.text(`${RALPH}/config.json`))?.["orchestration"];
	const schemes = { "orchestration.json": objectIn(folder.text(folder.own("orchestration.json"))), "ralph/config.json": config };
	for (const [name, holder] of Object.entries(schemes)) {
		const scheme: unknown = typeof holder === "object" && holder !== null && "scheme" in holder ? holder.scheme : undefined;
		if (scheme === undefined || isScheme(scheme)) continue;
		problems.push(
			`${name}: ${JSON.stringify(scheme)} is not a scheme: write W for workers and R for reviews, each followed by a number if there is more than one, such as W5R`,
		);
	}
	return problems;
}

export const isScheme = (value: unknown): value is string => typeof value === "string" && parseSchedule(value, ["W", "R"]) !== null;

/** Words too vague to check. */
const SUBJECTIVE =
	/\b(?:good|nice|nicely|clean|cleanly|proper|properly|appropriate|appropriately|intuitive|user[- ]friendly|robust|elegant|reasonable|reasonably|fast|quickly|well|better|improved?|works?(?: correctly| fine| well)?|as expected|etc)\b/i;
/** Something that a machine can check: code, a number, a path, an exit, a comparison. */
const OBJECTIVE =
	/`[^`]+`|\d|\bexit|\breturns?\b|\bexists?\b|\bcontains?\b|\bprints?\b|\berrors?\b|\bfails?\b|\bpass(?:es)?\b|[\w-]+\.\w{1,5}\b/i;

const criteriaOf = (story: Record<string, unknown>): readonly string[] =>
	textsIn(story["acceptance_criteria"] ?? story["acceptanceCriteria"]);

function weaknesses(doc: PrdDoc, story: Record<string, unknown>, index: number): string[] {
	const criteria = criteriaOf(story);
	const vague = criteria.filter((c) => SUBJECTIVE.test(c) && !OBJECTIVE.test(c));
	const size = story["size"];
	const later = new Set(doc.stories.slice(index + 1).map(idOf));
	const ahead = textsIn(story["depends_on"] ?? story["dependsOn"]).filter((id) => later.has(id));
	const template = !isTemplate(story) && [story["title"], ...criteria].some((text) => /\bTODO\b|<[a-z][^>]*>/i.test(wordOf(text)));
	return [
		...(criteria.length === 0 ? ["has no acceptance criteria, so nobody can tell when it is done"] : []),
		...vague.map((c) => `has a criterion that is a matter of taste: ${JSON.stringify(c)}`),
		...(size === undefined
			? ["has no size (XS or S)"]
			: size === "XS" || size === "S"
				? []
				: [`has the size ${wordOf(size)}: stories should be XS or S`]),
		...(ahead.length > 0 && !passes(story)
			? [`comes before what it depends on (${ahead.join(", ")}): the order is the order of work`]
			: []),
		...(template ? ["may still have text of a template"] : []),
	];
}

function settingsWeaknesses(doc: PrdDoc): string[] {
	return Object.entries(settingsOf(doc)).flatMap(([key, value]) =>
		typeof value === "number" && (!Number.isInteger(value) || value < 0) ? [`prd.json: loop_settings.${key} is not a whole number`] : [],
	);
}
