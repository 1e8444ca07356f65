// `- [key] resolved` and `- [key] open` lines: what a reviewer says about the findings of earlier rounds.
import type { Earlier } from "../model.ts";

const LINE = /^[\s\-*+•\d.)]{0,20}[*_`]{0,3}(?:\[([^\]\n]{1,120})\]|([^:\n]{1,120}?):)[*_`\s:–—-]{0,12}(\p{L}[\p{L} ]{0,30})/u;
const RESOLVED = /^(?:resolved|fixed|done|closed|gone)\b/i;
const OPEN = /^(?:open|still|not\b|unresolved|remains|unchanged|partly|partially)/i;
const MOST = 200;

/** Ignores a line that says neither. */
export function readEarlier(value: string): readonly Earlier[] {
	return value.split("\n", MOST).flatMap((line): Earlier[] => {
		const match = LINE.exec(line);
		const word = match?.[3] ?? "";
		const key = (match?.[1] ?? match?.[2] ?? "").replace(/[*_`]/g, "").trim();
		if (key === "" || (!RESOLVED.test(word) && !OPEN.test(word))) return [];
		return [{ key, open: OPEN.test(word) }];
	});
}
