// What a run starts from: whatever the readers of the workflow's input modes make of the text and the flags that were given.
import type { Definition } from "../../core/definition.ts";
import type { StorySeed } from "../../core/input.ts";
import type { FlagValue, Standing } from "../../reader.ts";
import type { Repository } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { holdTree } from "../hold.ts";
import { Refusal } from "../refusal.ts";
import type { StartOptions } from "./start-options.ts";

/** What a run starts from, read and checked. */
export interface InputRead {
	/** A key of `Definition.inputs`. */
	readonly mode: string;
	readonly stories: readonly StorySeed[];
	readonly title: string;
	readonly input: Readonly<Record<string, string>>;
	/** What the run's fields begin with, over what the definition says. */
	readonly fields: Readonly<Record<string, string>>;
	/** The keys of `input` that say what the run is about; empty where every run is new. */
	readonly source: readonly string[];
	/** The name of a list that may grow, in which a run that goes on finds new stories. */
	readonly growing: string | null;
	/** The fields that a run which goes on takes from here. */
	readonly renewed: readonly string[];
	/** Files of the run that lie in the tree and stay out of git. */
	readonly exclude: readonly string[];
	/** The state of an earlier run that lies in the tree. */
	readonly standing: Standing | null;
	/** Folders of the tree that belong to the input: uncommitted changes there do not make the tree dirty. */
	readonly own: readonly string[];
	/** Work that was begun before goes on: the tree is as it was left. */
	readonly begun: boolean;
	/** Role → command of its agent, where the user names none. */
	readonly commands: Readonly<Record<string, string>>;
}

const PLAIN = { source: [], growing: null, renewed: [], exclude: [], standing: null, own: [], begun: false, commands: {} } as const;

export interface WantedInput {
	readonly text: string | undefined;
	readonly options: StartOptions;
	/** What the configuration says of the flags of formats. */
	readonly defaults: Readonly<Record<string, FlagValue>>;
	/** Nothing is given: a run whose state lies in the tree is taken over. */
	readonly resume: boolean;
}

/** The first input mode whose reader takes it. */
export async function readInput(c: RunsContext, repository: Repository, definition: Definition, wanted: WantedInput): Promise<InputRead> {
	const { text, options, defaults, resume } = wanted;
	const flags = options.flags ?? {};
	checkFlags(c, definition, text, flags);
	for (const [mode, { reader, workspace }] of Object.entries(definition.inputs)) {
		const own = Object.hasOwn(c.services.readers, reader) ? c.services.readers[reader] : undefined;
		if (own === undefined || !Object.keys(flags).every((name) => c.services.flags[name]?.readers.includes(reader))) continue;
		// Before the reader looks: what another run is working on is neither dirt nor left over.
		if (workspace === "tree") holdTree(repository);
		const given = { text, root: repository.root, tree: repository.tree().path, cwd: c.cwd, options, flags: { ...defaults, ...flags } };
		const read = await own({ ...given, resume });
		if (read === null) continue;
		if (!read.ok) throw new Refusal("invalid", read.problems.join("\n"));
		const { ok: _, ...rest } = read;
		return { mode, ...PLAIN, ...rest };
	}
	if (text !== undefined) throw new Refusal("invalid", `the workflow ${definition.name} takes no request`);
	throw new Refusal("invalid", `what is to be done? pawl run ${definition.name} "REQUEST"${otherWays(c, definition)}`);
}

/** Flags that formats declare: each has to mean something to this workflow. */
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
		if (flag.insteadOfText !== undefined && text !== undefined) return [`give a request or ${shown}, not both`];
		const problem = flag.problem?.(value) ?? null;
		return problem === null ? [] : [`${shown} ${problem}`];
	});
	if (wrong.length > 0) throw new Refusal("invalid", wrong.join("\n"));
}

function otherWays(c: RunsContext, { inputs }: Definition): string {
	const readers = Object.values(inputs).map(({ reader }) => reader);
	return Object.values(c.services.flags)
		.filter((flag) => flag.insteadOfText !== undefined && flag.readers.some((reader) => readers.includes(reader)))
		.map((flag) => `, or ${flag.flag.split(" ")[0]} ${flag.insteadOfText}`)
		.join("");
}
