// The files of a checkout without git: in memory, or in a real folder if the code that a workflow names opens them itself.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Files {
	/** Absolute; where the files are, or would be. */
	readonly path: string;
	/** null if there is no such file. */
	read(path: string): string | null;
	write(path: string, text: string): void;
	/** A file, or a folder with everything in it. */
	remove(path: string): void;
	/** Every file except pawl's own, sorted. */
	list(): string[];
	/** Removes the folder itself. */
	clear(): void;
}

/** pawl's own files in a checkout belong to no tree, except the repository's workflows. */
export const isPawls = (path: string): boolean => /^\.pawl(\/|$)/.test(path) && !path.startsWith(".pawl/workflows/");

export type MakeFiles = (path: string) => Files;

export const memoryFiles: MakeFiles = (path) => {
	const texts = new Map<string, string>();
	return {
		path,
		read: (name) => texts.get(name) ?? null,
		write: (name, text) => {
			texts.set(name, text);
		},
		remove: (name) => {
			for (const known of [...texts.keys()]) if (known === name || known.startsWith(`${name}/`)) texts.delete(known);
		},
		list: () => [...texts.keys()].filter((name) => !isPawls(name)).sort(),
		clear: () => texts.clear(),
	};
};

export const diskFiles: MakeFiles = (path) => {
	mkdirSync(path, { recursive: true });
	const walk = (folder: string): string[] =>
		readdirSync(join(path, folder), { withFileTypes: true }).flatMap((entry) => {
			const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
			if (entry.isDirectory()) return name.startsWith(".pawl/") && isPawls(`${name}/x`) ? [] : walk(name);
			return entry.isFile() && !isPawls(name) ? [name] : [];
		});
	return {
		path,
		read: (name) => {
			try {
				return readFileSync(join(path, name), "utf8");
			} catch {
				return null;
			}
		},
		write: (name, text) => {
			mkdirSync(dirname(join(path, name)), { recursive: true });
			writeFileSync(join(path, name), text);
		},
		remove: (name) => rmSync(join(path, name), { recursive: true, force: true }),
		list: () => walk("").sort(),
		clear: () => rmSync(path, { recursive: true, force: true }),
	};
};
