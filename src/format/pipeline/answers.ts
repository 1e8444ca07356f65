// How the reports of a pipeline's step are read. Its own input says which answers there are: `STATUS: done` with its keys, perhaps `STATUS: retry`
// with others. From that follow the keys that a report declares, those it should have, and those that contradict `STATUS: done`.
import { SAID_CHANGES } from "../../core/report/said-changes.ts";
import type { RawReport } from "../../definition/schema.ts";

export const MOST_STORIES = 20;
/** The step cannot be done, and says why: a person decides. */
export const BLOCKED = "blocked";
const CHANGES = "CHANGES";
/** Keys that say what is wrong, best first. */
const FEEDBACK = ["ISSUES", "FEEDBACK", "FAILURES"] as const;
/** Keys by which a judge decides, and the words with which it says no. */
const VERDICTS = ["DECISION", "VERDICT"] as const;
const NO =
	"changes_requested|request_changes|requested_changes|changes_required|changes_needed|needs_changes|needs_work|not_approved|rejected|reject|declined|blocked|failed|fail|retry|no";

const KEY_LINE = /^[ \t]*(?:[-*+][ \t]+)?[*`]{0,2}([A-Z][A-Z0-9_]{1,63}):[*`]{0,2}[ \t]*(.*)$/;

interface Offered {
	readonly done: ReadonlyMap<string, string>;
	readonly retry: ReadonlyMap<string, string>;
	/** All keys, in order. */
	readonly keys: readonly string[];
	readonly mentionsRetry: boolean;
	/** The keys of `STATUS: blocked`; null if the input does not offer it. */
	readonly blocked: ReadonlyMap<string, string> | null;
}

/** An answer is the key lines from a STATUS on, up to the next STATUS or an empty line. */
function offeredBy(input: string): Offered {
	const done = new Map<string, string>();
	const retry = new Map<string, string>();
	const keys = new Set<string>();
	let answer: Map<string, string> | null = null;
	let mentionsRetry = false;
	let blocked: Map<string, string> | null = null;
	for (const line of input.split("\n")) {
		if (line.trim() === "") answer = null;
		const [, key, rest = ""] = KEY_LINE.exec(line) ?? [];
		if (key === undefined) continue;
		keys.add(key);
		const value = rest.replace(/[*`]/g, "").trim();
		if (key === "STATUS") {
			if (value === "blocked") blocked ??= new Map();
			answer = value === "done" ? done : value === "retry" ? retry : value === "blocked" ? blocked : null;
			mentionsRetry ||= /\bretry\b/.test(value);
		} else answer?.set(key, value);
	}
	return { done, retry, keys: [...keys], mentionsRetry, blocked };
}

/** A report declares the key that is expected and every `KEY:` line of the step's own input: these are read in any case, and end the
 * values of each other. Any other key has to stand in capitals, and is text of the value around it as well.
 * `sendsBack`: a retry of this step leads to another one. `isGiven`: another step is given the key. */
export function grammar(expects: string, input: string, sendsBack: boolean, isGiven: (key: string) => boolean = () => false): RawReport {
	const offered = offeredBy(input);
	const judges = sendsBack || offered.mentionsRetry;
	return {
		notes: "text",
		keys: ["STATUS", ...offered.keys.filter((key) => key !== "STATUS")],
		signals: {
			retry: { STATUS: "retry", ...(judges ? {} : { unasked: "true" }) },
			done: { STATUS: "done" },
			...(offered.blocked === null ? {} : { [BLOCKED]: { STATUS: "blocked" } }),
		},
		stories: "STORIES_JSON",
		max_stories: MOST_STORIES,
		open: true,
		expects,
		feedback: [...FEEDBACK],
		...(offered.done.has(CHANGES) ? { keep: { [SAID_CHANGES]: CHANGES } } : {}),
		...(judges ? { denies: deniesOf(offered) } : {}),
		...wantsOf(offered, judges),
		...needsOf(offered, isGiven),
	};
}

/** What a judge names as wrong, under the usual keys and those that its input has for a retry alone; and the words with which it says no. */
function deniesOf({ done, retry }: Offered): Record<string, string> {
	const texts = [...FEEDBACK, ...retry.keys()].filter((key) => !done.has(key));
	const words = [...retry].filter(([key, value]) => done.has(key) && /^[\w-]+$/.test(value) && value !== done.get(key));
	return {
		...Object.fromEntries(texts.map((key) => [key, "*"])),
		...Object.fromEntries(VERDICTS.map((key) => [key, NO])),
		...Object.fromEntries(words.map(([key, value]) => [key, VERDICTS.some((name) => name === key) ? `${NO}|${value}` : value])),
	};
}

/** A list of stories has rules of its own. */
function wantsOf({ done, retry, blocked }: Offered, judges: boolean): Pick<RawReport, "wants"> {
	const wanted = (answer: ReadonlyMap<string, string>): string[] => [...answer.keys()].filter((key) => key !== "STORIES_JSON");
	const again = wanted(retry);
	const wants = {
		...(done.size > 0 ? { done: wanted(done) } : {}),
		...(blocked !== null && blocked.size > 0 ? { [BLOCKED]: wanted(blocked) } : {}),
		...(again.length > 0 ? { retry: again } : judges ? { retry: [FEEDBACK[0]] } : {}),
	};
	return Object.keys(wants).length > 0 ? { wants } : {};
}

function needsOf({ done }: Offered, isGiven: (key: string) => boolean): Pick<RawReport, "needs"> {
	const needs = [...done.keys()].filter((key) => key !== "STORIES_JSON" && isGiven(key));
	return needs.length === 0 ? {} : { needs };
}
