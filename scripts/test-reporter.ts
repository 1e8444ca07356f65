// The report for a pipe or a log: one line per file, failures in full with the output of their file, and node's closing `# tests` lines.
import { basename, relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

interface FileSoFar {
	/** The name of the running test at each depth of nesting. */
	readonly names: string[];
	readonly failures: string[];
	printed: string;
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, "    ");
/** Files that share a process (test-groups.ts) run as one that lies elsewhere. */
const shown = (file: string): string => {
	const path = relative(process.cwd(), file);
	return path.endsWith(".test.mjs") ? basename(path) : path;
};

// biome-ignore lint/style/noDefaultExport: node takes a reporter by its default export
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
	const files = new Map<string, FileSoFar>();
	const at = (file = ""): FileSoFar => {
		const known = files.get(file) ?? { names: [], failures: [], printed: "" };
		files.set(file, known);
		return known;
	};
	for await (const { type, data } of events) {
		if (type === "test:start") at(data.file).names.splice(data.nesting, Number.POSITIVE_INFINITY, data.name);
		if (type === "test:stdout" || type === "test:stderr") at(data.file).printed += data.message;
		if (type === "test:fail") {
			const { error } = data.details;
			// A parent fails because of its children, which are listed themselves.
			if ("failureType" in error && error.failureType === "subtestsFailed") continue;
			const name = [...at(data.file).names.slice(0, data.nesting), data.name].join(" > ");
			const where = data.file === undefined ? "" : ` (${shown(data.file)}:${data.line ?? 1})`;
			const cause = error.cause ?? error;
			at(data.file).failures.push(`  FAIL ${name}${where}\n${indent(typeof cause === "string" ? cause : inspect(cause))}\n`);
		}
		if (type === "test:summary") {
			const { counts, duration_ms, file } = data;
			if (file === undefined) {
				// What failed outside of any file's own summary, such as a file that could not be loaded.
				for (const { failures, printed } of files.values()) if (failures.length > 0) yield failures.join("") + indent(printed);
				const { tests, suites, passed, cancelled, skipped, todo } = counts;
				yield `# tests ${tests}\n# suites ${suites}\n# pass ${passed}\n# fail ${tests - passed - cancelled - skipped - todo}\n`;
				yield `# cancelled ${cancelled}\n# skipped ${skipped}\n# todo ${todo}\n# duration_ms ${Math.round(duration_ms)}\n`;
				continue;
			}
			const { failures, printed } = at(file);
			const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
			yield `${data.success ? "ok  " : "FAIL"} ${shown(file)} (${counts.passed}/${counts.tests}${skipped}, ${Math.round(duration_ms)} ms)\n`;
			if (!data.success) yield failures.join("") + indent(printed);
			files.delete(file);
		}
	}
}
