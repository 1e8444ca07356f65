// Makes dist/ for the package: the program as plain JavaScript by Rolldown, and the dashboard's page by Vite. Node does not strip types inside
// node_modules, and one file to load instead of ten is most of a command's start. What the program is built from is inside, so an
// installation brings nothing else along; the licenses of it are in dist/licenses.txt.
// workflows/ and schema/ are not copied: they lie at the package's root, one level above dist/ as they do above src/.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { buildWeb } from "./build-web.ts";

const root = join(import.meta.dirname, "..");

/**
 * The program, without the page; returns the files that went into it. All is flat in the folder: src/package-root.ts relies on it.
 * `more` are other programs made of the same parts.
 */
export async function buildProgram(folder: string, more: Readonly<Record<string, string>> = {}): Promise<string[]> {
	const bundle = await rolldown({ input: { main: join(root, "src", "main.ts"), ...more }, platform: "node" });
	const { output } = await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" });
	await bundle.close();
	return output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
}

/** What the licenses of packages ask for: their text goes where their code goes. */
function licensesOf(modules: readonly string[]): string {
	const folders = new Set(modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
	return [...folders]
		.sort()
		.map((folder) => {
			const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
			const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
			const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
			return `${name} ${version} (${license})\n${text}`;
		})
		.join("\n----\n\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	rmSync(join(root, "dist"), { recursive: true, force: true });
	const modules = [...(await buildProgram(join(root, "dist"))), ...(await buildWeb())];
	writeFileSync(join(root, "dist", "licenses.txt"), licensesOf(modules));
}
