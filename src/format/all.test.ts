// The list of formats as a whole: names that workflows use are used once, and each format loads what it promises.
import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formats } from "./all.ts";

const kinds = ["readers", "actions", "evidence", "keepers", "writeRules", "controlFiles", "projections", "stateFiles"] as const;

test("no two formats bring the same name", () => {
	for (const kind of kinds) {
		const names = formats.flatMap((format) => Object.keys(format[kind] ?? {}));
		assert.deepEqual(
			names.filter((name, i) => names.indexOf(name) !== i),
			[],
			kind,
		);
	}
});

test("every folder is in the list, by its name, and no folder is crowded", () => {
	const folders = globSync("*/", { cwd: import.meta.dirname, withFileTypes: false }).filter((name) =>
		existsSync(join(import.meta.dirname, name, "format.ts")),
	);
	assert.deepEqual(formats.map((format) => format.name).sort(), folders.sort());
	for (const folder of globSync(["*", "*/*"], { cwd: import.meta.dirname })) {
		const files = globSync("*.ts", { cwd: join(import.meta.dirname, folder) }).filter((name) => !/\.(test|suite|child)\.ts$/.test(name));
		assert.ok(files.length <= 25, `${folder} holds ${files.length} files`);
	}
});
