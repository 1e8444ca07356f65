// Builds the dashboard's page into dist/web, where `pawl ui` looks for it in a checkout and in the package. `npm ci` runs it (prepare), and
// so does `npm test`. `--if-missing` leaves a page alone that is newer than its sources.
import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(import.meta.dirname, "..");

function isFresh(): boolean {
	const page = join(root, "dist", "web", "index.html");
	if (!existsSync(page)) return false;
	const built = statSync(page).mtimeMs;
	const sources = globSync(["src/web/**/*", "src/core/**/*.ts", "vite.config.ts", "package.json"], { cwd: root });
	return sources.every((source) => statSync(join(root, source)).mtimeMs <= built);
}

/** An installation without development dependencies has no Vite, and no use for it: the package brings the page. */
const canBuild = (): boolean => existsSync(join(root, "node_modules", "vite", "package.json"));

/** Returns the files that went into the page. */
export async function buildWeb(): Promise<string[]> {
	const { build } = await import("vite");
	const built = await build({ configFile: join(root, "vite.config.ts"), logLevel: "warn" });
	const outputs = Array.isArray(built) ? built : "output" in built ? [built] : [];
	return outputs.flatMap(({ output }) => output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const unneeded = process.argv.includes("--if-missing") && (isFresh() || !canBuild());
	if (!unneeded) await buildWeb();
}
