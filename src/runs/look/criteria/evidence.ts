// How each acceptance criterion of a story was shown: the command that pawl ran for it, the agent's own word, or the verdict of a step that judges
// the story. Made from the journal alone; a criterion that nobody judged says so.
import { type Criterion, readCriteria } from "../../../core/criterion.ts";
import { isFailure } from "../../../core/definition.ts";
import type { Event, EventOf } from "../../../core/event.ts";
import type { CheckResult } from "../../../core/input.ts";
import { RUN_SCOPE, type RunState } from "../../../core/model.ts";
import { findScope, findStep, holds, JUDGED, typeOf } from "../../../core/query.ts";
import { iso } from "../json-values.ts";
import { sendsBack } from "../why.ts";

export interface Proof {
	/** `command`: pawl ran it. `word`: the agent that did the work says so. `verdict`: a step judged the story as a whole. */
	readonly kind: "command" | "word" | "verdict";
	readonly met: boolean;
	/** What was seen, in words: "`npm test` exited 0", "verify (verifier) says done". */
	readonly text: string;
	/** What the judge wrote about this very criterion, if it quotes it. */
	readonly quote: string | null;
	readonly step: string;
	readonly type: string;
	readonly at: string | null;
}

export interface JudgedCriterion {
	readonly criterion: string;
	/** null: nobody judged it. */
	readonly met: boolean | null;
	/** The newest of each kind and command. */
	readonly evidence: readonly Proof[];
}

/** Of a story, or of the run itself (`RUN_SCOPE`), whose input may have criteria too. */
export const criteriaOf = (state: RunState, scope: string): readonly string[] =>
	scope === RUN_SCOPE
		? (state.input["run_criteria"] ?? "").split("\n").filter((line) => line !== "")
		: (state.stories.find((story) => story.id === scope)?.criteria ?? []);

/** Scope → its criteria, in their order; only scopes that have some. */
export function evidenceOf(state: RunState, events: readonly Event[]): ReadonlyMap<string, readonly JudgedCriterion[]> {
	const ledgers = new Map<string, Ledger>();
	for (const scope of [RUN_SCOPE, ...state.stories.map(({ id }) => id)]) {
		const criteria = criteriaOf(state, scope);
		if (criteria.length > 0) ledgers.set(scope, new Ledger(criteria));
	}
	if (ledgers.size === 0) return new Map();
	let route: EventOf<"route_taken"> | null = null;
	const roles = new Map<string, string>();
	for (const event of events) {
		if (event.event === "stories_replaced") for (const { id } of event.stories) ledgers.get(id)?.forget();
		if (!("scope" in event)) continue;
		const ledger = ledgers.get(event.scope);
		if (ledger === undefined) continue;
		if (event.event === "route_taken") route = event;
		if (event.event === "story_changed") ledger.forget();
		if (event.event === "step_started") roles.set(`${event.scope} ${event.step}`, event.role);
		// What is done again is shown again; an objection stands until then.
		if (event.event === "step_reopened" || event.event === "step_restarted") ledger.forget(event.step);
		if (event.event !== "checks_recorded" && event.event !== "step_completed") continue;
		const step = findStep(state, event.scope, event.step);
		const type = step && typeOf(state, step);
		if (!type) continue;
		const about = { step: event.step, type: type.name, at: iso(event.at) };
		if (event.event === "checks_recorded") {
			for (const check of event.checks) ledger.check(check, about);
			continue;
		}
		const scope = findScope(state, event.scope);
		if (!type.judges || !scope || isFailure(event.signal)) continue;
		const judged = holds(state, scope, type.judges)
			? null
			: new Set((scope.fields[JUDGED] ?? "").split("\n").filter((line) => line !== ""));
		const taken = route?.step === event.step && route.scope === event.scope ? route : null;
		const met = !sendsBack(taken);
		const notes = event.notes ?? "";
		const role = roles.get(`${event.scope} ${event.step}`) ?? "";
		// An action or a command is pawl's own look.
		if (type.kind === "action" || type.kind === "command")
			ledger.verdict({ ...about, kind: "command", met, text: notes.split("\n", 1)[0] || `${type.name}: ${event.signal}` }, "", judged);
		else {
			const who = type.kind === "gate" || role === "" || role === type.name ? "" : ` (${role})`;
			const why = met || !taken?.reason ? "" : `: ${flat(taken.reason.split("\n", 1)[0] ?? "")}`;
			ledger.verdict(
				{ ...about, kind: "verdict", met, text: `${type.name}${who} says ${event.signal.replaceAll("_", " ")}${why}` },
				notes,
				judged,
			);
		}
	}
	return new Map([...ledgers].map(([scope, ledger]) => [scope, ledger.result()]));
}

type About = Pick<Proof, "step" | "type" | "at">;

/** What is known of the criteria of one scope. */
class Ledger {
	private readonly rows: readonly { readonly criterion: Criterion; readonly proofs: Map<string, Proof> }[];

	constructor(criteria: readonly string[]) {
		this.rows = readCriteria(criteria).map((criterion) => ({ criterion, proofs: new Map() }));
	}

	check(check: CheckResult, about: About): void {
		const met = check.exitCode === 0;
		for (const { criterion, proofs } of this.rows) {
			if (!isAbout(criterion, check)) continue;
			if (isWord(criterion, check))
				put(proofs, "word", { ...about, kind: "word", met, text: flat(check.output) || "the agent says that it holds", quote: null });
			else put(proofs, check.command, { ...about, kind: "command", met, text: ended(check), quote: null });
		}
	}

	/** `of`: the criteria that it is about; null: all. */
	verdict(proof: Omit<Proof, "quote">, notes: string, of: ReadonlySet<string> | null): void {
		const rows = this.rows.filter(({ criterion }) => of === null || of.has(criterion.text));
		for (const { criterion, proofs } of rows) put(proofs, `by ${proof.type}`, { ...proof, quote: quoteOf(criterion.text, notes) });
	}

	/** What speaks for the criteria in a step, or all of it. */
	forget(step?: string): void {
		for (const { proofs } of this.rows)
			for (const [key, proof] of proofs) if (step === undefined || (proof.met && proof.step === step)) proofs.delete(key);
	}

	result(): JudgedCriterion[] {
		return this.rows.map(({ criterion, proofs }) => {
			const evidence = [...proofs.values()];
			return { criterion: criterion.text, met: evidence.length === 0 ? null : evidence.every((proof) => proof.met), evidence };
		});
	}
}

/** The newest comes last. */
function put(proofs: Map<string, Proof>, key: string, proof: Proof): void {
	proofs.delete(key);
	proofs.set(key, proof);
}

/** Nothing was run. Journals of earlier versions do not say so: there the command is the name of the criterion after the key of the report. */
const isWord = ({ slug }: Criterion, { name, command, said }: CheckResult): boolean =>
	said === true || (name === slug && command.endsWith(`: ${slug}`));

/** A check is about a criterion if it is called by it, runs its command, or is what the criterion says passes: "Typecheck passes", "sh test.sh passes". */
function isAbout({ slug, text, commands }: Criterion, { name, command }: CheckResult): boolean {
	if (name === slug || commands.includes(command)) return true;
	const [, said] = /^(?:the )?(.+?) (?:pass(?:es)?|succeeds?)[.!]?$/i.exec(text.trim()) ?? [];
	return said !== undefined && (said === command || plainName(said) === plainName(name));
}

const plainName = (text: string): string =>
	text
		.toLowerCase()
		.replaceAll(/[\s_-]+/g, "")
		.replace(/s$/, "");

export const ended = ({ command, exitCode, reused }: CheckResult): string =>
	`\`${flat(command)}\` ${exitCode === null ? "did not end" : `exited ${exitCode}`}${reused ? ", earlier on the same files" : ""}`;

const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const MOST_QUOTED = 300;

/** The line of the judge's notes that holds the criterion's text. */
function quoteOf(criterion: string, notes: string): string | null {
	const wanted = bare(criterion);
	if (wanted.length < 4) return null;
	const line = notes.split("\n").find((one) => bare(one).includes(wanted));
	const said = line === undefined ? "" : flat(line.replace(/^[\s\-*•\d.)]+/, ""));
	return said === "" || bare(said) === wanted ? null : said.slice(0, MOST_QUOTED);
}

const bare = (text: string): string => flat(text.toLowerCase().replaceAll(/[`*_"'.]/g, ""));
