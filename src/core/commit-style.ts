// How a repository words its commit subjects, inferred once from its log when a run starts: the form of a subject, and how its text
// begins and ends. Agents are told, and pawl's own commits follow it. Without a clear majority nothing is inferred.

export interface CommitStyle {
	/** `fix(parser): text`, `parser: text`, `ABC-12 text` or just text. */
	readonly form: "conventional" | "area" | "ticket" | "plain";
	/** Whether the text begins with a capital letter; null if both occur. */
	readonly capital: boolean | null;
	/** Whether it ends with a full stop; null if both occur. */
	readonly period: boolean | null;
	/** A recent subject in this style. */
	readonly example: string;
}

const FEWEST = 3;
const LONGEST_EXAMPLE = 72;

const TYPES = "feat|feature|fix|bugfix|hotfix|docs?|style|refactor|perf|tests?|build|ci|chore|revert|deps|release|wip|security|i18n";
const CONVENTIONAL = new RegExp(`^(?:${TYPES})(?:\\([^()]{1,60}\\))?!?: +(?=\\S)`, "i");
const TICKET = /^\[?(?:[A-Z][A-Z0-9]{1,11}-\d{1,8}|(?:GH-|#)\d{1,8})\]?:?[ \t]+(?=\S)/;
const AREA = /^[\p{L}\p{N}_.@*/{}-]{1,60}(?:, ?[\p{L}\p{N}_.@*/{}-]{1,60}){0,4}: +(?=\S)/u;

interface Parts {
	readonly form: CommitStyle["form"];
	/** Without its prefix. */
	readonly text: string;
}

/** `subjects`: of recent commits that people made, newest first. */
export function commitStyleOf(subjects: readonly string[]): CommitStyle | null {
	const all = subjects.map((subject) => ({ subject, ...partsOf(subject.trim()) })).filter(({ text }) => text !== "");
	const form = (["conventional", "area", "ticket", "plain"] as const).find((one) => {
		const count = all.filter((parts) => parts.form === one).length;
		return count >= FEWEST && isMost(count, all.length);
	});
	if (form === undefined) return null;
	const same = all.filter((parts) => parts.form === form);
	const capital = habit(same.map(({ text }) => startsWithCapital(text)));
	const period = habit(same.map(({ text }) => /[^.]\.$/.test(text)));
	const fits = ({ text }: Parts): boolean =>
		(capital === null || startsWithCapital(text) === capital) && (period === null || /[^.]\.$/.test(text) === period);
	return { form, capital, period, example: shown((same.find(fits) ?? same[0])?.subject ?? "") };
}

/** A subject for one of pawl's own commits. An area or a ticket that is not known is left out. */
export function inStyle(style: CommitStyle | null, title: string, type = "feat"): string {
	const subject = title.trim();
	if (style === null || subject === "") return title;
	const { text } = partsOf(subject);
	const prefix = subject.slice(0, subject.length - text.length);
	const start = prefix === "" && style.form === "conventional" ? `${type}: ` : prefix;
	return `${start}${withEnd(withStart(text, style.capital), style.period)}`;
}

/** One sentence for those who commit. */
export function commitStyleText({ form, capital, period, example }: CommitStyle): string {
	const begin = capital === null ? "" : capital ? ", the text beginning with a capital" : ", the text beginning in lower case";
	const end = period === null ? "" : period ? ", with a full stop" : ", without a full stop";
	return `Commit subjects in this repository: ${FORMS[form]}${begin}${end}, such as \`${example}\`.`;
}

const FORMS: Readonly<Record<CommitStyle["form"], string>> = {
	conventional: "Conventional Commits (`type(scope): text`)",
	area: "`area: text`",
	ticket: "a ticket first, if there is one",
	plain: "plain text",
};

function partsOf(subject: string): Parts {
	for (const [form, pattern] of [
		["conventional", CONVENTIONAL],
		["ticket", TICKET],
		["area", AREA],
	] as const) {
		const prefix = pattern.exec(subject)?.[0];
		if (prefix !== undefined) return { form, text: subject.slice(prefix.length) };
	}
	return { form: "plain", text: subject };
}

/** Two thirds: half is no habit. */
const isMost = (count: number, of: number): boolean => count * 3 >= of * 2;

function habit(answers: readonly (boolean | null)[]): boolean | null {
	const known = answers.filter((one) => one !== null);
	const yes = known.filter((one) => one).length;
	if (known.length === 0) return null;
	return isMost(yes, known.length) ? true : isMost(known.length - yes, known.length) ? false : null;
}

/** Null if it begins with something that has no case. */
const startsWithCapital = (text: string): boolean | null => (/^\p{Lu}/u.test(text) ? true : /^\p{Ll}/u.test(text) ? false : null);

/** Only a plain word changes its case: names such as `API`, `x.json` or `useMemo` keep theirs. */
function withStart(text: string, capital: boolean | null): string {
	const word = capital === null ? null : capital ? /^\p{Ll}+(?=[\s,;:!?]|$)/u.exec(text) : /^\p{Lu}\p{Ll}*(?=[\s,;:!?]|$)/u.exec(text);
	if (word === null) return text;
	const first = text.charAt(0);
	return `${capital ? first.toUpperCase() : first.toLowerCase()}${text.slice(1)}`;
}

function withEnd(text: string, period: boolean | null): string {
	if (period === true) return /[.!?…]$/.test(text) ? text : `${text}.`;
	return period === false ? text.replace(/(?<=[^.])\.$/, "") : text;
}

/** Safe inside a prompt's own sentence. */
function shown(subject: string): string {
	const line = subject
		.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
		.replaceAll("`", "'")
		.trim();
	return line.length <= LONGEST_EXAMPLE ? line : `${line.slice(0, LONGEST_EXAMPLE - 1).trimEnd()}…`;
}
