// Makes dist/ for the package: the program as plain JavaScript by Rolldown, and the dashboard's page by Vite. Node does not strip types inside
// node_modules, and one file to load instead of ten is most of a command's start. CommonJS, because Node loads it in half of the time: a module
// of the language that imports one of Node's own reads everything that it exports. What the program is built from is inside, so an
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
	const input = { main: join(root, "src", "main.ts"), library: join(root, "src", "library.ts"), ...more };
	// No module of ours does anything by being loaded, so a file that only hands on others brings along only what is used of it.
	const moduleSideEffects = (id: string): boolean => !id.startsWith(join(root, "src")) || Object.values(input).includes(id);
	const bundle = await rolldown({
		input,
		platform: "node",
		treeshake: { moduleSideEffects },
		plugins: [
			{ name: "late", renderChunk: late },
			{
				name: "ascii",
				generateBundle: (_, files) => {
					for (const file of Object.values(files)) if (file.type === "chunk") file.code = inAscii(file.code);
				},
			},
		],
		checks: { ineffectiveDynamicImport: false },
	});
	const { output } = await bundle.write({
		dir: folder,
		format: "cjs",
		entryFileNames: "[name].cjs",
		chunkFileNames: "[name]-[hash].cjs",
		// Nobody reads them there, and Node would have to.
		comments: false,
		codeSplitting: { groups: [{ name: "look", test: await lookModules() }] },
	});
	await bundle.close();
	writeFileSync(join(folder, "library.d.cts"), libraryTypes());
	return output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
}

/** The types of the library: one file without imports, so that no type of the inside gets out. */
function libraryTypes(): string {
	const [documents = "", api = ""] = ["documents.ts", "api.ts"].map((name) => readFileSync(join(root, "src", "library", name), "utf8"));
	return `${documents}\n${api.replace(/^import type .*;\n/gm, "").replace(/^(\/\/.*\n)+\n?/, "")}`;
}

/** What every command loads, and what `pawl status` adds to it: one file instead of fifty, most of them tiny. */
async function lookModules(): Promise<(id: string) => boolean> {
	const input = ["main.ts", "cli/watch/status.ts", "workspace/history.ts"].map((name) => join(root, "src", name));
	const alone = { name: "alone", resolveDynamicImport: (id: unknown) => ({ id: String(id), external: true }) };
	const bundle = await rolldown({ input, platform: "node", treeshake: { moduleSideEffects: false }, plugins: [alone] });
	const { output } = await bundle.generate({ format: "esm" });
	await bundle.close();
	const chunks = output.flatMap((file) => (file.type === "chunk" ? Object.entries(file.modules) : []));
	// Packages as a whole: their files may need each other in an order.
	const found = new Set(chunks.flatMap(([id, { code }]) => (code === null ? [] : [packageOf(id) ?? id])));
	// The entry point stays alone: another program that is made of the same parts must not start this one when it loads them.
	found.delete(join(root, "src", "main.ts"));
	return (id) => found.has(packageOf(id) ?? id);
}

const packageOf = (path: string): string | null => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null;

/** Modules of Node that take milliseconds to load and that a command may never use. */
const LATE = [
	"child_process",
	"crypto",
	"fs/promises",
	"http",
	"https",
	"net",
	"readline",
	"stream",
	"timers/promises",
	"url",
	"util",
	"zlib",
];

/** Has Node load these when something of them is first used, not when the program starts. */
const late = (code: string): string =>
	LATE.reduce((text, module) => {
		const name = `node_${module.replaceAll("/", "_")}`;
		const loaded = `let ${name} = require("node:${module}");\n`;
		if (!text.includes(loaded)) return text;
		const used = text.replace(loaded, "").replaceAll(new RegExp(`\\b${name}\\.`, "g"), `(${name}()).`);
		return `let ${name}_loaded;\nconst ${name} = () => (${name}_loaded ??= require("node:${module}"));\n${used}`;
	}, withoutWrappers(code));

/** Node keeps a file with a single character beyond Latin-1 as text of twice the size, and takes longer to read it. Inside of strings, templates and
 * regular expressions the escape means the same; a raw template is never anything but the source of a regular expression. */
function inAscii(code: string): string {
	const escaped = /\\[^\0-\x7f]/.exec(code);
	if (escaped !== null) throw new Error(`a backslash before ${escaped[0].slice(1)} cannot be written in ASCII`);
	return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A package that imports a module of Node as a whole makes everybody in its file go through a copy of it; the module itself is as good. */
const withoutWrappers = (code: string): string =>
	[...code.matchAll(/^(node_\w+) = \S+\(\1, 1\);\n/gm)].reduce(
		(text, [line, name]) => text.replace(line, "").replaceAll(`${name}.default`, `${name}`),
		code,
	);

/** What the licenses of packages ask for: their text goes where their code goes. */
function licensesOf(modules: readonly string[]): string {
	const folders = new Set(modules.flatMap((path) => packageOf(path) ?? []));
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
