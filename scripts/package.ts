// The package as people install it, built from this checkout into another folder: what is built starts in half of the time, and it is what
// people run.
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";
import { buildProgram } from "./build.ts";

const root = join(import.meta.dirname, "..");

/** The folder, which has to be empty. */
export async function packageIn(folder: string): Promise<string> {
	for (const name of ["bin", "package.json"]) cpSync(join(root, name), join(folder, name), { recursive: true });
	for (const name of ["workflows", "schema", "node_modules"]) symlinkSync(join(root, name), join(folder, name));
	mkdirSync(join(folder, "dist"));
	symlinkSync(join(root, "dist", "web"), join(folder, "dist", "web"));
	await buildProgram(join(folder, "dist"), { host: join(root, "test", "support", "host.child.ts") });
	// What tests start often, and what loads much.
	const children = [
		"test/support/mcp-agent.child.ts",
		"src/agent/acp/agent.child.ts",
		"src/engine/pull.child.ts",
		"src/store/postgres/postgres.child.ts",
		"src/store/sqlite.child.ts",
		"src/workspace/merge/merge.child.ts",
	];
	const input = Object.fromEntries(children.map((file) => [`${basename(file, ".child.ts")}-child`, join(root, file)]));
	const bundle = await rolldown({ input, platform: "node" });
	await bundle.write({ dir: join(folder, "dist"), format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" });
	await bundle.close();
	return folder;
}
