// What a demo prints around its run: what is about to happen, what happened on the way, the pull request, and where to
// look.
import { fold, foldTo, padTo } from "../text/columns.ts";
import { oneLine, type Paint } from "../text/text.ts";
import type { Demo, Happening } from "./description.ts";

export function aboutText({ about, typed }: Demo, folder: string, color: Paint): string {
	const command = typed === undefined ? "" : `${typedText(typed, color)}\n\n`;
	return `${color.bold("pawl demo")} in ${folder}\n\n${about}\n\n${command}`;
}

const typedText = (command: string, color: Paint): string => `${color.dim("$")} ${color.bold(command)}`;

export function happenedText(all: readonly Happening[], width: number, color: Paint): string {
	if (all.length === 0) return "";
	const kinds = [...new Set(all.map((h) => h.kind))];
	const counts = kinds.map((kind) => counted(all.filter((h) => h.kind === kind).length, kind));
	const head = foldTo(`${color.bold("on the way")}: ${counts.join(", ")}`, width - 1, 2, 2);
	const many = new Set(all.map((h) => h.story)).size > 1;
	const [kindWidth, storyWidth] = [Math.max(12, ...kinds.map((kind) => kind.length)), Math.max(...all.map((h) => h.story.length))];
	const lines = all.map((h) =>
		[padTo(color.yellow(h.kind), kindWidth), ...(many ? [padTo(h.story, storyWidth)] : []), oneLine(h.text, 300)].join("  "),
	);
	const indent = kindWidth + 4 + (many ? storyWidth + 2 : 0);
	return `\n${[...head, ...lines.flatMap((line) => foldTo(`  ${line}`, width - 1, indent, 4))].join("\n")}\n`;
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

/** Empty if there is none. */
export function pullRequestText(text: string, width: number, color: Paint): string {
	if (text === "") return "";
	const bar = color.dim("|");
	const lines = text.trimEnd().split("\n");
	const folded = lines.flatMap((line) => (line === "" ? [""] : fold(line, width - 5, 2)));
	return `\n${color.bold("the pull request")}\n${folded.map((line) => `  ${bar} ${line}`.trimEnd()).join("\n")}\n`;
}

/** `pawl`: how this pawl is called. */
export function lookText({ look }: Demo, folder: string, pawl: string, color: Paint): string {
	const alias = pawl === "pawl" ? [] : [`  alias pawl=${pawl}`];
	const all = [...look, ["pawl ui", "all of it in a browser"] as const];
	const widest = Math.max(...all.map(([command]) => command.length));
	const lines = all.map(([command, shows]) => `  ${command.padEnd(widest)}  ${color.dim(shows)}`);
	return `\n${[color.bold("look around"), `  cd ${folder}`, ...alias, ...lines].join("\n")}\n`;
}
