// What earlier reports left for a prompt: the entries that share most words with the current story, newest first among equals, cut to
// what fits into a prompt.
import type { Definition } from "../core/definition.ts";
import type { RunState, Story } from "../core/model.ts";
import { quoted } from "../core/text/quoted.ts";

const MOST = 12;
const BYTES = 6000;
/** Older entries are not searched: a run of a thousand stories must not make prompts slow. */
const LOOK_BACK = 500;

/** For each name under which this workflow keeps reports: the text. */
export function keptVariables(state: RunState, story: Story | undefined): Record<string, string> {
	return Object.fromEntries(keptNames(state.definition).map((name) => [name, quoted(name, keptText(state, story, name), "(none yet)")]));
}

export function keptNames({ roles, types }: Definition): string[] {
	const grammars = [...Object.values(roles).map((r) => r.report), ...Object.values(types).map((t) => t.report)];
	return [...new Set(grammars.flatMap((grammar) => Object.keys(grammar?.keep ?? {})))];
}

function keptText(state: RunState, story: Story | undefined, name: string): string {
	const entries = [state.root, ...[...(state.replaced ?? []), ...state.stories].map((s) => s.scope)].flatMap((scope) =>
		scope.kept.filter((k) => k.name === name).map((k) => ({ from: scope.id, text: k.text.replace(/\s+/g, " ").trim() })),
	);
	const wanted = wordsOf(story ? [story.title, story.description, ...story.criteria].join(" ") : state.title);
	const ranked = entries
		.slice(-LOOK_BACK)
		.map((entry, at) => ({ ...entry, at, score: shared(wordsOf(entry.text), wanted) + (entry.from === story?.id ? 100 : 0) }))
		.sort((a, b) => b.score - a.score || b.at - a.at);
	const lines: string[] = [];
	let size = 0;
	for (const { text } of ranked.slice(0, MOST)) {
		if (size + text.length > BYTES) break;
		lines.push(`- ${text}`);
		size += text.length;
	}
	return lines.join("\n");
}

const wordsOf = (text: string): Set<string> =>
	new Set(
		text
			.slice(0, 20_000)
			.toLowerCase()
			.match(/[\p{L}\p{N}_]{4,}/gu) ?? [],
	);
const shared = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => [...a].filter((word) => b.has(word)).length;
