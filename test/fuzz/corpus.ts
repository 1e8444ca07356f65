// The texts that a target starts from: small files in corpus/TARGET/. A name that ends in `.shape` holds the shape of a large text, as JSON.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Shape } from "./shapes.ts";

const FOLDER = join(import.meta.dirname, "corpus");

export interface Corpus {
	readonly texts: readonly string[];
	readonly shapes: readonly Shape[];
}

export function corpusOf(target: string): Corpus {
	const folder = join(FOLDER, target);
	if (!existsSync(folder)) return { texts: [], shapes: [] };
	const names = readdirSync(folder).sort();
	const read = (name: string): string => readFileSync(join(folder, name), "utf8");
	return {
		texts: names.filter((name) => !name.endsWith(".shape")).map(read),
		shapes: names.filter((name) => name.endsWith(".shape")).map((name) => JSON.parse(read(name)) as Shape),
	};
}

export const corpusTargets = (): string[] => readdirSync(FOLDER).sort();

/** Keeps a finding as a regression; the name says what it holds, so a second one does not double it. */
export function keep(target: string, input: string, isShape: boolean): string {
	const folder = join(FOLDER, target);
	mkdirSync(folder, { recursive: true });
	const name = `found-${createHash("sha256").update(input).digest("hex").slice(0, 10)}${isShape ? ".shape" : ""}`;
	writeFileSync(join(folder, name), input);
	return join("test/fuzz/corpus", target, name);
}
