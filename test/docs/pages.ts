// The documents as tests see them: which there are, their code blocks, their code spans, and their prose without both.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const PROJECT = join(import.meta.dirname, "..", "..");

export interface Block {
	readonly language: string;
	/** What stands behind `file=` in the line that opens it. */
	readonly file: string | null;
	readonly text: string;
	readonly line: number;
}

export interface Page {
	/** Relative to the project. */
	readonly path: string;
	readonly text: string;
	readonly blocks: readonly Block[];
	/** The lines outside of blocks; lines inside are empty, so that numbers stay right. */
	readonly prose: readonly string[];
}

export const PAGES: readonly Page[] = globSync(
	["*.md", "docs/*.md", "docs/adr/*.md", "docs/agents/*.md", "docs/reference/*.md", "docs/prompts/README.md", "skills/*/SKILL.md"],
	{
		cwd: PROJECT,
	},
)
	.sort()
	.map((path) => readPage(path, readFileSync(join(PROJECT, path), "utf8")));

export function page(path: string): Page {
	const found = PAGES.find((one) => one.path === path);
	if (!found) throw new Error(`there is no page ${path}`);
	return found;
}

export function readPage(path: string, text: string): Page {
	const blocks: Block[] = [];
	const prose: string[] = [];
	let open: { language: string; file: string | null; lines: string[]; line: number } | null = null;
	for (const [index, line] of text.split("\n").entries()) {
		const fence = /^```(\S*)(.*)$/.exec(line);
		if (fence && open) {
			blocks.push({ language: open.language, file: open.file, text: open.lines.map((one) => `${one}\n`).join(""), line: open.line });
			open = null;
		} else if (fence) open = { language: fence[1] ?? "", file: /file=(\S+)/.exec(fence[2] ?? "")?.[1] ?? null, lines: [], line: index + 1 };
		else if (open) open.lines.push(line);
		prose.push(fence || open ? "" : line);
	}
	return { path, text, blocks, prose };
}

/** The texts between single backticks, with their line. */
export const spans = ({ prose }: Page): { readonly text: string; readonly line: number }[] =>
	prose.flatMap((line, index) => [...line.matchAll(/`([^`]+)`/g)].map((match) => ({ text: match[1] ?? "", line: index + 1 })));

export const withoutSpans = (line: string): string => line.replace(/`[^`]*`/g, "");

/** As GitHub makes it. */
export const anchorOf = (heading: string): string =>
	heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, "")
		.trim()
		.replace(/\s/g, "-");
