// node scripts/import-picture.ts [--write]: draws who imports whom in src/, between the markers in ARCHITECTURE.md (--write) or on stdout.
// Exits 1 when folders import each other in a ring. test/tooling/imports.test.ts fails when the picture in ARCHITECTURE.md is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importsOf, pictureOf, ringsOf } from "./imports.ts";

export const BEGIN = "<!-- imports: begin (made by `node scripts/import-picture.ts --write`) -->";
export const END = "<!-- imports: end -->";

/** The page with this picture in it. */
export function withPicture(page: string, picture: string): string {
	const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
	if (before < 0 || after < before) throw new Error(`the page has no markers: ${BEGIN} … ${END}`);
	return `${page.slice(0, before + BEGIN.length)}\n\`\`\`mermaid\n${picture}\n\`\`\`\n${page.slice(after)}`;
}

if (import.meta.main) {
	const root = join(import.meta.dirname, "..");
	const imports = importsOf(join(root, "src"));
	const picture = pictureOf(imports);
	const file = join(root, "ARCHITECTURE.md");
	if (process.argv.includes("--write")) writeFileSync(file, withPicture(readFileSync(file, "utf8"), picture));
	else console.log(picture);
	const rings = ringsOf(imports);
	for (const ring of rings) console.error(`a ring of imports: ${ring}`);
	process.exitCode = rings.length > 0 ? 1 : 0;
}
