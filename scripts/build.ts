// Makes dist/ for the package: plain JavaScript by tsc, because Node does not strip types inside node_modules, and the dashboard's page by Vite.
// workflows/ and schema/ are not copied: they lie at the package's root, one level above dist/ as they do above src/.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildWeb } from "./build-web.ts";

const root = join(import.meta.dirname, "..");
rmSync(join(root, "dist"), { recursive: true, force: true });
const tsc = spawnSync(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.build.json"], {
	cwd: root,
	stdio: "inherit",
});
if (tsc.error) throw tsc.error;
process.exitCode = tsc.status ?? 1;
if (tsc.status === 0) await buildWeb();
