// G-28: any file may have been replaced by anything; a database that was harmed under a running engine stops the run. This needs real files.
import { alsoIn } from "./also-in.ts";

alsoIn(
	"G-28",
	"test/scenario/bad-trees.test.ts",
	"src/files/files.test.ts",
	"src/store/sqlite-guard.test.ts",
	"src/format/prd/prd-file.test.ts",
);
