// Which files of tests share a process. Starting Node and loading the same modules costs more than most of the tests of pure code, so those
// files are loaded one after the other by one generated file; each test still says which file it is from. So are files that carry out
// commands of pawl in processes that are there already (test/support/host.ts): those are quicker the more they have done. A file that
// starts processes itself, changes this one or waits for the time has a process of its own.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Folder → how many of its files share a process: with more of them one group would be what all others wait for. */
const SHARED: Readonly<Record<string, number>> = { src: 32, "test/docs": 25, "test/guarantees": 8 };
/** The same for files that carry out commands of pawl. */
const COMMANDS: Readonly<Record<string, number>> = {
	"test/cli": 7,
	"test/gated": 5,
	"test/phased": 5,
	"test/pipelines": 6,
	"test/ralph": 4,
	"test/scenario": 6,
};
/** Of a file's path or text. A pipe that nobody reads holds up the one thread for files (ONE_THREAD). What a file does `after` its tests Node may do before the
 * last of them, when other files were loaded before. */
const ALONE =
	/child_process|support\/|guarantees\/real-|process\.(env|chdir|on|once|exit|kill|std)|mock\.|git\(|mkfifo|setTimeout|setInterval|globalThis|(before|after)Each\(|\nafter\(/;
/** What drives whole runs, in a file that shares a process. */
const RUNS = /engine\/testing\//;

/** The files to run, the long ones first as far as their size tells, with each group as one file in `folder`. */
export function grouped(files: readonly string[], root: string, folder: string): string[] {
	const groups = new Map<string, string[]>();
	const alone: string[] = [];
	for (const file of files) {
		const name = groupOf(file, () => readFileSync(resolve(root, file), "utf8"));
		if (name === undefined) alone.push(file);
		else groups.set(name, [...(groups.get(name) ?? []), file]);
	}
	const size = (file: string): number => statSync(resolve(root, file)).size;
	const starts = (file: string): boolean => file.startsWith("test/");
	const bySize = (a: string, b: string): number => Number(starts(b)) - Number(starts(a)) || size(b) - size(a);
	const made = [...groups]
		.sort(([a], [b]) => Number(b in COMMANDS) - Number(a in COMMANDS))
		.flatMap(([name, members]) => {
			const parts = Math.ceil(members.length / (COMMANDS[name] ?? SHARED[name] ?? 1));
			// The long ones of a folder do not end up together.
			const dealt = members.toSorted(bySize);
			return Array.from({ length: parts }, (_, part) => dealt.filter((_, i) => i % parts === part)).map((some, part) => {
				if (some.length === 1) return some[0] ?? "";
				const file = join(folder, `${name.replaceAll("/", "-")}-${part + 1}.test.mjs`);
				const imports = some.map((one) => `await import("${pathToFileURL(resolve(root, one))}");`);
				writeFileSync(file, `${[...(name in COMMANDS ? [] : [ONE_THREAD]), ...imports].join("\n")}\n`);
				return file;
			});
		});
	return [...made, ...alone.sort(bySize)];
}

/** Whether the file takes milliseconds: it shares a process, and drives no runs. */
export function isPure(file: string, root: string): boolean {
	const text = readFileSync(resolve(root, file), "utf8");
	return groupOf(file, () => text) === "src" && !RUNS.test(text);
}

// For files, as the virtual clock of the engine's tests wants it: whoever comes first in a process decides.
const ONE_THREAD = 'process.env.UV_THREADPOOL_SIZE = "1";';

function groupOf(file: string, text: () => string): string | undefined {
	const within = (folders: Readonly<Record<string, number>>) => Object.keys(folders).find((name) => file.startsWith(`${name}/`));
	const shared = within(SHARED);
	return within(COMMANDS) ?? (shared === undefined || ALONE.test(`${file}\n${text()}`) ? undefined : shared);
}
