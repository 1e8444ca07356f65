// Reads the prompts, frames and agents' files that a workflow names, and checks the variables in them.
import type { Role } from "../core/definition.ts";
import { checkPromptText } from "./check/fields.ts";
import type { ParseOptions, PromptText } from "./options.ts";
import type { Path, Problem, Report } from "./problem.ts";
import type { TypeDraft } from "./types.ts";

export interface Reading {
	readonly drafts: ReadonlyMap<string, TypeDraft>;
	readonly roles: ReadonlyMap<string, Role>;
	/** Texts that the document itself contains. */
	readonly texts: Readonly<Record<string, string>>;
	readonly options: ParseOptions;
	/** null: variables are not checked. */
	readonly fields: ReadonlySet<string> | null;
	readonly report: Report;
	/** Problems inside of prompts have positions of their own. */
	readonly problems: Problem[];
}

interface Wanted {
	readonly name: string;
	readonly at: Path;
	readonly kind: "prompt" | "frame" | "file";
}

export function readPrompts(reading: Reading): Record<string, string> {
	const { texts, options, fields, report, problems } = reading;
	const prompts: Record<string, string> = {};
	for (const { name, at, kind } of wantedBy(reading)) {
		const inline = Object.hasOwn(texts, name) ? texts[name] : undefined;
		const read: PromptText =
			inline !== undefined ? { text: inline } : kind === "file" ? readAgentFile(name, options) : options.readPrompt(name);
		if ("problem" in read) {
			report(at, read.problem);
			continue;
		}
		prompts[name] = read.text;
		if (!fields || kind === "file") continue;
		const found = checkPromptText(read.text, options.promptFile?.(name) ?? name, kind === "frame", fields);
		if (inline === undefined) problems.push(...found);
		else for (const { message } of found) report(at, message);
	}
	return prompts;
}

const readAgentFile = (name: string, { readAgentFile: read }: ParseOptions): PromptText =>
	read?.(name) ?? { problem: `\`${name}\` cannot be read from here` };

function wantedBy({ drafts, roles }: Reading): Wanted[] {
	const wanted: Wanted[] = [...roles.values()].flatMap(({ name: role, frame, files = {} }): Wanted[] => [
		...(frame === undefined ? [] : [{ name: frame, at: ["roles", role, "frame"], kind: "frame" as const }]),
		...Object.entries(files).map(([file, path]) => ({ name: path, at: ["roles", role, "files", file], kind: "file" as const })),
	]);
	const add = (name: string | undefined, at: Path): void => {
		if (name !== undefined) wanted.push({ name, at, kind: "prompt" });
	};
	for (const { type, path } of drafts.values()) {
		add(type.prompt, [...path, "prompt"]);
		for (const m of type.members ?? []) add(m.prompt, [...path, "gate", "members", m.role, "prompt"]);
		for (const [letter, r] of Object.entries(type.loop?.roles ?? {})) add(r.prompt, [...path, "loop", "roles", letter, "prompt"]);
	}
	return wanted;
}
