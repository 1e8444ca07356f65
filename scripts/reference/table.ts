// Tables of Markdown that GitHub and the site both show.

/** Text that may hold anything, as one cell. Code spans stay as they are, except for what would end the cell. */
export const cell = (text: string): string =>
	text
		.split(/(`[^`]*`)/)
		.map((part) => (part.startsWith("`") ? part : part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")))
		.join("")
		.replaceAll("|", "\\|")
		.replaceAll(/\s*\n\s*/g, " ")
		.trim();

/** A cell of code. */
export const code = (text: string): string => (text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``);

/** Nothing for no rows. The cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	if (rows.length === 0) return "";
	const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
	return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** Parts of a page with an empty line between them. */
export const page = (...parts: readonly string[]): string => `${parts.filter((part) => part !== "").join("\n\n")}\n`;

export const MADE = "Made by `npm run reference` from the code; do not edit it.";
