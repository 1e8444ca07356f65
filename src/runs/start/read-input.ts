// The input of a run: what the readers of the workflow's input modes make of the given text and flags.
import type { Definition } from "../../core/definition.ts";
import type { StorySeed } from "../../core/input.ts";
import type { FlagValue, ReaderInput, RunFlag, StateInTree } from "../../reader.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { holdTree } from "../hold.ts";
import { Refusal } from "../refusal.ts";
import type { StartOptions } from "./start-options.ts";

/** The input of a run, read and checked. */
export interface InputRead {
	/** A key of `Definition.inputs`. */
	readonly mode: string;
	readonly stories: readonly StorySeed[];
	readonly title: string;
	readonly input: Readonly<Record<string, string>>;
	/** The first values of the run's fields; they override the definition's. */
	readonly fields: Readonly<Record<string, string>>;
	/** The keys of `input` that identify what the run is about; empty if every run is new. */
	readonly source: readonly string[];
	/** The keys of `input` by which earlier runs are found that may have delivered some of the stories. */
	readonly deliveredBy: readonly string[];
	/** The name of a list that may grow; a continued run looks there for new stories. */
	readonly growing: string | null;
	/** The fields that a continued run takes from here. */
	readonly renewed: readonly string[];
	/** Files of the run in the tree that stay out of git. */
	readonly exclude: readonly string[];
	/** The state of an earlier run in the tree. */
	readonly standing: StateInTree | null;
	/** Folders of the tree that belong to the input: uncommitted changes there do not make the tree dirty. */
	readonly own: readonly string[];
	/** The run continues earlier work, so the tree need not be clean. */
	readonly begun: boolean;
	/** Role → command of its agent, if the user names none. */
	readonly commands: Readonly<Record<string, string>>;
	/** The branch that the work in the tree belongs on. */
	readonly branch?: string;
}

const PLAIN = {
	source: [],
	deliveredBy: [],
	growing: null,
	renewed: [],
	exclude: [],
	standing: null,
	own: [],
	begun: false,
	commands: {},
} as const;

export interface WantedInput {
	readonly text: string | undefined;
	readonly options: StartOptions;
	/** What the configuration says about the flags of formats. */
	readonly defaults: Readonly<Record<string, FlagValue>>;
	/** No input is given: the run adopts the state in the tree. */
	readonly resume: boolean;
	readonly forge: NonNullable<ReaderInput["forge"]>;
}

/** The first input mode whose reader takes it. */
export async function readInput(c: RunsContext, repository: Repository, definition: Definition, wanted: WantedInput): Promise<InputRead> {
	const { text, options, defaults, resume, forge } = wanted;
	const flags = options.flags ?? {};
	checkFlags(c, definition, text, flags);
	for (const [mode, { reader, workspace }] of Object.entries(definition.inputs)) {
		const own = Object.hasOwn(c.services.readers, reader) ? c.services.readers[reader] : undefined;
		if (own === undefined || !Object.keys(flags).every((name) => c.services.flags[name]?.readers.includes(reader))) continue;
		// Before the reader looks: files that another run is working on are neither uncommitted changes nor leftovers.
		if (workspace === "tree") holdTree(repository);
		const given = { text, root: repository.root, tree: repository.tree().path, cwd: c.cwd, options, flags: { ...defaults, ...flags } };
		const read = await own({ ...given, resume, forge });
		if (read === null) continue;
		if (!read.ok) throw new Refusal("invalid", read.problems.join("\n"));
		const { ok: _, warnings = [], ...rest } = read;
		for (const warning of warnings) c.warn(warning);
		return { mode, ...PLAIN, ...rest };
	}
	if (text !== undefined) throw new Refusal("invalid", `the workflow ${definition.name} takes no request`);
	throw new Refusal("invalid", `what is to be done? pawl run ${definition.name} "REQUEST"${otherWays(c, definition)}`);
}

/** Flags that formats declare: this workflow must understand each of them. */
function checkFlags(
	c: RunsContext,
	{ name: workflow, inputs }: Definition,
	text: string | undefined,
	flags: Readonly<Record<string, FlagValue>>,
): void {
	const readers = Object.values(inputs).map(({ reader }) => reader);
	const wrong = Object.entries(flags).flatMap(([name, value]) => {
		const flag = c.services.flags[name];
		const shown = flag?.flag.split(" ")[0] ?? `--${name}`;
		if (!flag?.readers.some((reader) => readers.includes(reader))) return [`${shown}: the workflow ${workflow} takes no such flag`];
		if (replacesText(flag, readers) && text !== undefined) return [`give a request or ${shown}, not both`];
		const problem = flag.problem?.(value) ?? null;
		return problem === null ? [] : [`${shown} ${problem}`];
	});
	if (wrong.length > 0) throw new Refusal("invalid", wrong.join("\n"));
}

const replacesText = ({ insteadOfText, besideText = [] }: RunFlag, readers: readonly string[]): boolean =>
	insteadOfText !== undefined && !besideText.some((reader) => readers.includes(reader));

function otherWays(c: RunsContext, { inputs }: Definition): string {
	const readers = Object.values(inputs).map(({ reader }) => reader);
	return Object.values(c.services.flags)
		.filter((flag) => replacesText(flag, readers) && flag.readers.some((reader) => readers.includes(reader)))
		.map((flag) => `, or ${flag.flag.split(" ")[0]} ${flag.insteadOfText}`)
		.join("");
}
