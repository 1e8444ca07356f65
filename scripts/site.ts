// Builds the documents as a site into tools/site/dist: npm run site. Fails on a link, a picture or an anchor that leads nowhere, and on a page
// that the list in docs/README.md leaves out. Options: --base /PATH/ (served below that path), --serve (shows it on this machine afterwards).
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { brokenLinks } from "./site-check.ts";
import { sitePages } from "./site-pages.ts";

const root = join(import.meta.dirname, "..");
const tools = join(root, "tools", "site");
const pages = join(tools, "pages");
const VITEPRESS = join(tools, "node_modules", "vitepress", "bin", "vitepress.js");

const { values } = parseArgs({ options: { base: { type: "string", default: "/" }, serve: { type: "boolean", default: false } } });

install();
stage();
const started = Date.now();
vitepress("build", tools, "--base", values.base);
const broken = brokenLinks(join(tools, "dist"), values.base);
if (broken.length > 0) {
	process.stderr.write(`site: ${broken.length} links lead nowhere\n${broken.map((line) => `  ${line}\n`).join("")}`);
	process.exit(1);
}
const count = globSync("**/*.html", { cwd: join(tools, "dist") }).length;
process.stdout.write(`site: ${count} pages in tools/site/dist, ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
if (values.serve) vitepress("preview", tools, "--base", values.base);

/** As `npm run mutants` does: the project itself does not depend on it. */
function install(): void {
	if (existsSync(VITEPRESS)) return;
	process.stdout.write("site: installing tools/site\n");
	execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: tools, stdio: ["ignore", "ignore", "inherit"], timeout: 300_000 });
}

function stage(): void {
	rmSync(pages, { recursive: true, force: true });
	for (const { path, text } of sitePages(root)) {
		mkdirSync(dirname(join(pages, path)), { recursive: true });
		writeFileSync(join(pages, path), text);
	}
	for (const picture of globSync("**/*.{png,svg}", { cwd: join(root, "docs") })) {
		mkdirSync(dirname(join(pages, picture)), { recursive: true });
		cpSync(join(root, "docs", picture), join(pages, picture));
	}
}

function vitepress(...args: readonly string[]): void {
	const { status } = spawnSync(process.execPath, [VITEPRESS, ...args], { cwd: tools, stdio: "inherit" });
	if (status !== 0) process.exit(status ?? 1);
}
