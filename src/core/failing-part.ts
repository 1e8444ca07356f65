// The part of a command's output that says what is wrong. Test runners print it anywhere: at the top, in the middle, at the end.

const WRONG =
	/\bnot ok\b|\bfail(?:s|ed|ure|ures|ing)?\b|\berrors?\b|\bpanic(?:ked)?\b|\bexception\b|\bassert\w*|\btraceback\b|✗|✖|❌|^E\s/i;
/** Counts of nothing: `0 failed`, `# fail 0`, `errors: 0`. */
const NOTHING_WRONG = /\b0 (?:fail|error)\w*|\b(?:fail|error)\w*:? 0\b/i;
const AROUND = 3;

export const saysWhatIsWrong = (line: string): boolean => WRONG.test(line) && !NOTHING_WRONG.test(line);

/** The lines around failures in order, then the end; the whole output if it is short. At most `most` characters or a little more. */
export function failingPart(output: string, most: number): string {
	const text = output.trimEnd();
	if (text.length <= most) return text;
	const lines = text.split("\n");
	const shown = new Set<number>();
	let length = 0;
	const show = (at: number): boolean => {
		const line = lines[at];
		if (line === undefined || shown.has(at)) return true;
		if (length + line.length + 1 > most) return false;
		shown.add(at);
		length += line.length + 1;
		return true;
	};
	// A third is kept for the end, where most runners sum up.
	const end = Math.floor(most / 3);
	for (let at = lines.length - 1, size = 0; at >= 0; at--) {
		size += (lines[at]?.length ?? 0) + 1;
		if (size > end || !show(at)) break;
	}
	for (const [at, line] of lines.entries()) {
		if (!saysWhatIsWrong(line)) continue;
		let fits = true;
		for (let near = at - 1; fits && near <= at + AROUND; near++) fits = show(near);
		if (!fits) break;
	}
	const parts: string[] = [];
	let last = -1;
	for (const at of [...shown].sort((a, b) => a - b)) {
		if (at !== last + 1) parts.push(`… (${at - last - 1} ${at - last === 2 ? "line" : "lines"} left out)`);
		parts.push(lines[at] ?? "");
		last = at;
	}
	return parts.length === 0 ? text.slice(-most) : parts.join("\n");
}
