// Stubs: functions whose bodies are exactly `todo!()`, so that tests compile against them and fail at run time. Evidence for a step that
// writes stubs: every function body that it added is one, and everything compiles.

import { join } from "node:path";
import type { CheckResult } from "../../core/input.ts";
import { textIn } from "../../files/read.ts";
import type { Evidence } from "../../format.ts";
import { detectToolchain } from "../detect.ts";
import { mask } from "./mask.ts";

const MAX_BYTES = 4 * 1024 * 1024;
const STUB = "todo!()";

interface Body {
	readonly name: string;
	readonly line: number;
	/** Without spaces around it. */
	readonly text: string;
}

/** The functions of a source that have a body. */
export function bodiesOf(source: string): Body[] {
	const { code } = mask(source);
	const found: Body[] = [];
	const closes = matching(code);
	let line = 1;
	let at = 0;
	for (const match of code.matchAll(/\bfn\s+((?:r#)?[\p{ID_Start}_][\p{ID_Continue}]*)/gu)) {
		const open = bodyStart(code, match.index + match[0].length);
		const close = open === null ? undefined : closes.get(open);
		if (open === null || close === undefined) continue;
		for (; at < match.index; at++) if (code.charAt(at) === "\n") line++;
		found.push({ name: match[1] ?? "", line, text: source.slice(open + 1, close).trim() });
	}
	return found;
}

/** A signature is shorter. */
const LONGEST_SIGNATURE = 4096;

/** The `{` after a signature; null if a `;` ends it. */
function bodyStart(code: string, from: number): number | null {
	let depth = 0;
	for (let at = from; at < Math.min(code.length, from + LONGEST_SIGNATURE); at++) {
		const char = code.charAt(at);
		if ("([".includes(char)) depth++;
		else if (")]".includes(char)) depth--;
		else if (char === "{" && depth === 0) return at;
		else if (char === ";" && depth === 0) return null;
	}
	return null;
}

/** Each `{` that has one → its `}`. */
function matching(code: string): ReadonlyMap<number, number> {
	const pairs = new Map<number, number>();
	const open: number[] = [];
	for (let at = 0; at < code.length; at++) {
		if (code.charAt(at) === "{") open.push(at);
		else if (code.charAt(at) === "}") {
			const from = open.pop();
			if (from !== undefined) pairs.set(from, at);
		}
	}
	return pairs;
}

/** Whether a source has a function that is a stub. */
export function isStubbed(file: string): boolean {
	return bodiesOf(textIn(file, { max: MAX_BYTES }) ?? "").some(({ text }) => text === STUB);
}

/** Functions that a change added or gave another body, and whose body is more than `todo!()`. */
export function notStubs(before: string | null, after: string): Body[] {
	const old = new Set(bodiesOf(before ?? "").map(({ name, text }) => `${name}\n${text}`));
	return bodiesOf(after).filter(({ name, text }) => !old.has(`${name}\n${text}`) && text !== STUB);
}

/** `stubs`: every function that the attempt added is a stub. */
export const stubs: Evidence = async ({ workspace, point }) => {
	if (point === null) return [];
	const { paths } = await workspace.changes(point);
	const wrong: string[] = [];
	for (const path of paths) {
		const text = path.endsWith(".rs") ? textIn(join(workspace.path, path), { max: MAX_BYTES }) : null;
		if (text === null) continue;
		const more = notStubs(await workspace.read(point, path), text);
		wrong.push(...more.map(({ name, line }) => `${path}:${line}: the body of ${name} is not exactly todo!()`));
	}
	return [result("stubs", "every body is exactly todo!()", wrong.length === 0, wrong.slice(0, 50).join("\n"))];
};

/** `compiles`: the toolchain's own check, which does not run the code. */
export const compiles: Evidence = async ({ workspace, run }) => {
	const { check } = detectToolchain(workspace.path);
	return check === null ? [] : [await run(check, { name: "compiles" })];
};

const result = (name: string, command: string, ok: boolean, output: string): CheckResult => ({
	name,
	command,
	exitCode: ok ? 0 : 1,
	output,
});
