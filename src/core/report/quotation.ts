// Which lines of a message are the report, and which only quote one. Lines behind `>` are always quotations. A fence is the report if it holds every
// key that the report needs, no deciding line is outside it, and no text announces it as somebody else's.
import { declared, keyLine } from "./key-line.ts";
import type { Fence, Lines } from "./lines.ts";

export interface ReportKeys {
	readonly keys: readonly string[];
	readonly needed: ReadonlySet<string>;
	readonly deciding: ReadonlySet<string>;
}

export function linesThatCount(lines: Lines, asked: ReportKeys): (line: number) => boolean {
	const { texts, depths, fences } = lines;
	const known = declared(asked.keys);
	const keyAt = (at: number): string | undefined => keyLine(texts[at] ?? "", known, false)?.key;
	const decides = (key: string | undefined): boolean => key !== undefined && (asked.needed.has(key) || asked.deciding.has(key));
	const outside = texts.some((_, at) => depths[at] === 0 && decides(keyAt(at)));
	const counting = new Set<Fence>(
		fences.filter((fence) => {
			const keys = new Set<string>();
			for (let at = fence.from + 1; at < fence.to; at++) {
				const key = depths[at] === 1 ? keyAt(at) : undefined;
				if (key !== undefined) keys.add(key);
			}
			if (isAnnounced(texts, fence.from)) return false;
			// A part of the report in its own fence begins with a key and is not the value of another key.
			if (![...keys].some(decides)) return beginsWithKey(fence) && !isValue(fence);
			return !outside && [...asked.needed].every((key) => keys.has(key)) && !isValue(fence);
		}),
	);
	const fenceAt = new Map<number, Fence>();
	for (const fence of counting) for (let at = fence.from; at <= fence.to; at++) fenceAt.set(at, fence);
	return (at) => depths[at] === 0 || (depths[at] === 1 && fenceAt.has(at));

	function beginsWithKey(fence: Fence): boolean {
		for (let at = fence.from + 1; at < fence.to; at++) if (texts[at]?.trim() !== "") return keyAt(at) !== undefined;
		return false;
	}
	/** The line before it is a key without a value: the fence is its value. */
	function isValue(fence: Fence): boolean {
		for (let at = fence.from - 1; at >= 0; at--)
			if (texts[at]?.trim() !== "") return depths[at] === 0 && keyLine(texts[at] ?? "", known, false)?.rest.trim() === "";
		return false;
	}
}

const OTHERS =
	/\b(?:he|she|it|they|his|her|its|their|developer|verifier|planner|reviewer|tester|worker|agent|somebody|previous(?:ly)?|earlier|prior|last (?:time|round|attempt|iteration)|file|log|prompt|instructions?|template|example|quot(?:e[sd]?|ing)|said|says|wrote|writes|reads|printed|contains?|claimed|reported|would)\b/i;
const OWN = /\b(?:my|mine|our|i)\b/i;

/** "The developer's report:" before a fence says that it is a quotation; "Here is my report:" and "Report:" do not. */
function isAnnounced(texts: readonly string[], from: number): boolean {
	for (let at = from - 1; at >= 0; at--) {
		const line = (texts[at] ?? "").trim();
		if (line === "") continue;
		return line.length < 500 && /[:：]\W*$/.test(line) && OTHERS.test(line) && !OWN.test(line);
	}
	return false;
}
