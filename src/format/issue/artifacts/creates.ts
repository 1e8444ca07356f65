// What the current specs will create: names and modules that may be missing as long as there is no code.
import { matchesGlob } from "node:path";
import type { StepContext } from "../../../format.ts";
import type { Creates } from "../../../toolchain/not-run.ts";
import { readTask } from "../spec/task.ts";
import { runDirOf, specNames } from "./context.ts";
import { readArtifact } from "./folder.ts";

/** What the current specs create: every name that they mention, and the modules among their files. */
export function createdBy(context: StepContext): Creates {
	const dir = runDirOf(context);
	const texts = specNames(context).map((name) => readArtifact(dir, name) ?? "");
	const files = texts.flatMap((text) => readTask(text).files);
	return (name, kind) => {
		if (kind === "name") return texts.some((text) => wordIn(text, name.split(/::|\./).at(-1) ?? name));
		// `../src/a.mjs`, `/somewhere/src/a.mjs`, `app.a`, `./a`: the end of a listed path, with or without its ending.
		const bare = name.replace(/^file:\/\//, "").replace(/^(?:\.{1,2}\/)+/, "");
		const path = /^[\w.]+$/.test(bare) && !/\.[cm]?[jt]sx?$/.test(bare) ? bare.replaceAll(".", "/") : bare;
		const stem = (file: string): string => file.replace(/\.\w+$/, "").replace(/\/(?:index|__init__|mod)$/, "");
		return files.some((file) => {
			const [a, b] = [`/${stem(file)}`, `/${stem(path)}`];
			return a.endsWith(b) || b.endsWith(a) || matchesGlob(path, file) || matchesGlob(path, `**/${file}`);
		});
	};
}

const wordIn = (text: string, word: string): boolean =>
	new RegExp(`(?<![\\p{L}\\p{N}_])${word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}(?![\\p{L}\\p{N}_])`, "u").test(text);
