// Which files of tests share a process. Starting Node and loading the same modules costs more than most of the tests of pure code, so those
// files are loaded one after the other by one generated file; each test still says which file it is from. A file that starts processes,
// changes this one or waits for the time has a process of its own.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Folder → how many of its files share a process: with more of them one group would be what all others wait for. */
const SHARED: Readonly<Record<string, number>> = { src: 25, "test/docs": 25, "test/guarantees": 5 };
/** Of a file's path or text. */
const ALONE =
	/child_process|support\/|guarantees\/real-|process\.(env|chdir|on|once|exit|kill|std)|mock\.|scratch|mkdtemp|git\(|setTimeout|setInterval|globalThis|(before|after)Each\(/;

/** The files to run, the long ones first as far as their size tells, with each group as one file in `folder`. */
export function grouped(files: readonly string[], root: string, folder: string): string[] {
	const groups = new Map<string, string[]>();
	const alone: string[] = [];
	for (const file of files) {
		const shared = Object.keys(SHARED).find((name) => file.startsWith(`${name}/`));
		if (shared === undefined || ALONE.test(`${file}\n${readFileSync(resolve(root, file), "utf8")}`)) alone.push(file);
		else groups.set(shared, [...(groups.get(shared) ?? []), file]);
	}
	const made = [...groups].flatMap(([name, members]) => {
		const most = SHARED[name] ?? 1;
		const parts = Math.ceil(members.length / most);
		return Array.from({ length: parts }, (_, part) => members.filter((_, i) => i % parts === part)).map((some, part) => {
			if (some.length === 1) return some[0] ?? "";
			const file = join(folder, `${name.replaceAll("/", "-")}-${part + 1}.test.mjs`);
			// One thread for files, as the virtual clock of the engine's tests wants it: whoever comes first in a process decides.
			const lines = [
				'process.env.UV_THREADPOOL_SIZE = "1";',
				...some.map((one) => `await import("${pathToFileURL(resolve(root, one))}");`),
			];
			writeFileSync(file, `${lines.join("\n")}\n`);
			return file;
		});
	});
	const size = (file: string): number => statSync(resolve(root, file)).size;
	const starts = (file: string): boolean => file.startsWith("test/");
	const bySize = alone.sort((a, b) => Number(starts(b)) - Number(starts(a)) || size(b) - size(a));
	return [...made, ...bySize];
}
