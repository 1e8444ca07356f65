// The pages of the site, made from the documents as they are: GitHub and the site show the same files, and no document knows of the site.
//
// docs/PAGE.md                → PAGE.md; README.md of a folder is its index
// NAME.md beside docs/        → project/name.md
// another file that is linked → source/PATH-ext.md, a page that shows it
// a folder that is linked     → its README.md, or source/PATH/index.md, a list of its files
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, posix } from "node:path";

export interface SitePage {
	/** Relative to the site. */
	readonly path: string;
	readonly text: string;
}

/** Too long, or not for readers who search. */
const NOT_SEARCHED = /^(prompts\/|source\/|project\/changelog)/;

/** Where a document of the repository is on the site; null: it is not a document. */
export function siteDocument(file: string): string | null {
	if (!file.endsWith(".md")) return null;
	if (file.startsWith("docs/")) return file.slice("docs/".length).replace(/(^|\/)README\.md$/, "$1index.md");
	return file.includes("/") ? null : `project/${file.toLowerCase()}`;
}

export function sitePages(root: string): SitePage[] {
	const documents = globSync(["*.md", "docs/**/*.md"], { cwd: root })
		.filter((file) => !file.startsWith("docs/examples/"))
		.sort();
	const pages = new Map<string, string>();
	const shown = new Set<string>();
	const place = (file: string): string => {
		const document = documents.includes(file) ? siteDocument(file) : null;
		if (document !== null) return document;
		const isFolder = statSync(join(root, file)).isDirectory();
		if (isFolder && documents.includes(`${file}/README.md`)) return siteDocument(`${file}/README.md`) ?? "";
		shown.add(file);
		return isFolder ? `source/${file}/index.md` : `source/${file.replaceAll(".", "-")}.md`;
	};
	for (const file of documents) {
		const text = forSite(
			readFileSync(join(root, file), "utf8"),
			(target) => linkFrom(root, file, target, place),
			(picture) => pictureFrom(file, picture),
		);
		const path = siteDocument(file) ?? "";
		pages.set(path, NOT_SEARCHED.test(path) ? `---\nsearch: false\n---\n\n${text}` : text);
	}
	// A folder shows more files while this goes on.
	for (const file of shown) {
		const isFolder = statSync(join(root, file)).isDirectory();
		const text = isFolder ? listOf(root, file, place) : shownFile(root, file);
		pages.set(place(file), `---\nsearch: false\neditLink: false\n---\n\n${text}`);
	}
	return [...pages].map(([path, text]) => ({ path, text }));
}

/** The link of a document as the site has it. One that leads nowhere stays: the build refuses it. */
function linkFrom(root: string, from: string, target: string, place: (file: string) => string): string {
	if (/^([a-z]+:|#|\/)/.test(target)) return target;
	const [path = "", anchor] = target.split("#");
	const file = posix.normalize(posix.join(dirname(from), path)).replace(/\/$/, "");
	if (file.startsWith("..") || !existsSync(join(root, file))) return target;
	const to = posix.relative(dirname(siteDocument(from) ?? from), place(file));
	return `${to.startsWith(".") ? to : `./${to}`}${anchor === undefined ? "" : `#${anchor}`}`;
}

/** Pictures are copied from docs/ as they are. */
function pictureFrom(from: string, picture: string): string {
	const path = posix.join(dirname(from), picture).replace(/^docs\//, "");
	const to = posix.relative(dirname(siteDocument(from) ?? from), path);
	return to.startsWith(".") ? to : `./${to}`;
}

/** Rewrites what differs between GitHub and the site; never in code. */
export function forSite(text: string, link: Rewrite, picture: Rewrite): string {
	let fence: string | null = null;
	return text
		.split("\n")
		.map((line) => {
			const mark = /^\s*(`{3,})/.exec(line)?.[1];
			if (mark !== undefined && fence === null) {
				fence = mark;
				// GitHub draws it; the site does not, and shows the text.
				return line.replace("```mermaid", "```text");
			}
			if (mark !== undefined && fence !== null && mark.length >= fence.length) fence = null;
			else if (fence === null) return proseLine(line, link, picture);
			return line;
		})
		.join("\n");
}

type Rewrite = (target: string) => string;

const PICTURE = /<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)"><img src="([^"]+)" alt="([^"]*)"><\/picture>/g;

function proseLine(line: string, link: Rewrite, picture: Rewrite): string {
	return (
		line
			// The site has a switch of its own for light and dark.
			.replace(PICTURE, '<img class="for-light" src="$2" alt="$3"><img class="for-dark" src="$1" alt="$3">')
			.replaceAll(/(<img [^>]*?src=")([^":]+)"/g, (_, before: string, path: string) => `${before}${picture(path)}"`)
			.replace(/\]\(([^)\s]+)\)/g, (whole, target: string, at: number, all: string) => (isPicture(all, at) ? whole : `](${link(target)})`))
	);
}

/** Whether the `](` at this place ends the text of a picture: the build copies pictures itself. */
const isPicture = (line: string, at: number): boolean => /!\[[^\]]*$/.test(line.slice(0, at));

const LANGUAGES: Readonly<Record<string, string>> = { ".yml": "yaml", ".json": "json", ".ts": "ts", ".sh": "sh", ".md": "markdown" };

function shownFile(root: string, file: string): string {
	const text = readFileSync(join(root, file), "utf8");
	const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
	// Highlighting a large file costs more than it is worth.
	const language = text.length > 20_000 ? "text" : (LANGUAGES[extname(file)] ?? "text");
	return `# ${file}\n\n${fence}${language}\n${text.replace(/\n*$/, "\n")}${fence}\n`;
}

function listOf(root: string, folder: string, place: (file: string) => string): string {
	const files = globSync(`${folder}/**`, { cwd: root })
		.filter((file) => statSync(join(root, file)).isFile())
		.sort();
	const from = dirname(`source/${folder}/index.md`);
	const rows = files.map((file) => {
		const name = posix.relative(folder, file);
		// The rest is for readers of a checkout: a page for each file would be most of the site.
		return basename(file) === "workflow.yml" ? `- [${name}](${posix.relative(from, place(file))})` : `- ${name}`;
	});
	return `# ${folder}/\n\n${rows.join("\n")}\n`;
}
