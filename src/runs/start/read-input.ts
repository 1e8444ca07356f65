// What a run starts from: a request, a list of stories, or what a reader of the workflow makes of the text that was given.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Definition } from "../../core/definition.ts";
import type { StorySeed } from "../../core/input.ts";
import { readRequest } from "../../format/request/request.ts";
import type { Standing } from "../../format.ts";
import { readPrd } from "../../text/story-list.ts";
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

const PLAIN = { fields: {}, exclude: [], standing: null, own: [], begun: false, commands: {} } as const;

export async function readInput(
	c: RunsContext,
	repository: Repository,
	definition: Definition,
	given: string | undefined,
	flags: StartOptions & { readonly resume: boolean },
): Promise<InputRead> {
	const read = flags.prd === undefined ? await readByName(c, repository, definition, given, flags) : null;
	if (read !== null) return read;
	const wanted = flags.prd === undefined ? "request" : "prd";
	const readers = wanted === "prd" ? ["prd"] : ["request", "task"];
	const mode = Object.keys(definition.inputs).find((name) => readers.includes(definition.inputs[name]?.reader ?? ""));
	if (mode === undefined)
		throw new Refusal("invalid", `the workflow ${definition.name} takes no ${wanted === "prd" ? "--prd" : "request"}`);
	if (flags.prd !== undefined) {
		if (given !== undefined) throw new Refusal("invalid", "give a request or --prd, not both");
		return { mode, ...readPrdFile(resolve(c.cwd, flags.prd), flags.prd), ...PLAIN };
	}
	if (given === undefined)
		throw new Refusal(
			"invalid",
			`what is to be done? pawl run ${definition.name} "REQUEST"${definition.inputs["prd"] ? ", or --prd FILE" : ""}`,
		);
	const request = readRequest(given);
	if (!request.ok) throw new Refusal("invalid", request.problems.map((p) => p.message).join("\n"));
	// A task has no story of its own: its first step makes them.
	const stories = definition.inputs[mode]?.reader === "task" ? [] : [request.story];
	return { mode, stories, title: request.story.title, input: { request: given }, ...PLAIN };
}

/** The first input mode whose reader takes it. */
async function readByName(
	c: RunsContext,
	repository: Repository,
	definition: Definition,
	text: string | undefined,
	flags: StartOptions & { readonly resume: boolean },
): Promise<InputRead | null> {
	for (const [mode, { reader, workspace }] of Object.entries(definition.inputs)) {
		const own = Object.hasOwn(c.services.readers, reader) ? c.services.readers[reader] : undefined;
		// Before the reader looks: what another run is working on is neither dirt nor left over.
		if (own !== undefined && workspace === "tree") holdTree(repository);
		const read = await own?.({ text, root: repository.root, tree: repository.tree().path, cwd: c.cwd, flags, resume: flags.resume });
		if (!read) continue;
		if (!read.ok) throw new Refusal("invalid", read.problems.join("\n"));
		const { ok: _, ...rest } = read;
		return { mode, ...PLAIN, ...rest };
	}
	return null;
}

function readPrdFile(path: string, name: string): Pick<InputRead, "stories" | "title" | "input"> {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		throw new Refusal(
			"invalid",
			`${name} cannot be read: ${(error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : (error as Error).message}`,
		);
	}
	const read = readPrd(text);
	if (!read.ok) throw new Refusal("invalid", read.problems.map((p) => `${name}:${p.line}:${p.column}: ${p.message}`).join("\n"));
	if (read.prd.stories.length === 0) throw new Refusal("invalid", `${name} has no story`);
	return { stories: read.prd.stories, title: read.prd.name || name, input: { prd: path } };
}
