// `node FILE` for the small test scripts of sites, without starting Node: modules of plain statements with `import { x } from` and
// `export const`. Whatever is more than that, or goes wrong in a way that only Node words, is left to Node itself.
import { spawnSync } from "node:child_process";
import { posix } from "node:path";
import type { Checked } from "../../src/engine/testing/engine-parts.suite.ts";
import type { Files } from "../../src/engine/testing/files.suite.ts";

class Exit extends Error {
	readonly code: number;

	constructor(code: number) {
		super(`exit ${code}`);
		this.code = code;
	}
}

/** undefined for any other command. */
export function quickNode(command: string, files: Files): Checked | undefined {
	const [, file] = /^node (\S+\.mjs)$/.exec(command) ?? [];
	if (file === undefined) return undefined;
	const printed: string[] = [];
	try {
		evaluate(file, files, printed);
		return { exitCode: 0, output: printed.join("") };
	} catch (error) {
		if (error instanceof Exit) return { exitCode: error.code, output: printed.join("") };
		const ran = spawnSync(process.execPath, [file], { cwd: files.path, encoding: "utf8" });
		return { exitCode: ran.status, output: ran.stdout + ran.stderr };
	}
}

function evaluate(file: string, files: Files, printed: string[]): Readonly<Record<string, unknown>> {
	const text = files.read(file);
	if (text === null || /process\.on|import\(|require\(/.test(text)) throw new Error(`not for this: ${file}`);
	const body = text
		.replace(/^import \{ (\w+) \} from "([^"]+)";/gm, (_, name: string, from: string) => `const { ${name} } = load("${from}");`)
		.replace(/^import "([^"]+)";/gm, (_, from: string) => `load("${from}");`)
		.replace(/^export const (\w+) =/gm, "const $1 = exports.$1 =");
	const load = (from: string) => evaluate(posix.join(posix.dirname(file), from), files, printed);
	const exports: Record<string, unknown> = {};
	const exit = (code = 0): never => {
		throw new Exit(code);
	};
	const log = (...words: unknown[]): void => void printed.push(`${words.join(" ")}\n`);
	new Function("load", "exports", "process", "console", `"use strict";\n${body}`)(load, exports, { exit }, { log });
	return exports;
}
