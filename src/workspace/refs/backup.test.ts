// What is kept of a folder before its files are removed.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { scratchRepository } from "../tree/scratch-repository.suite.ts";
import { keepWork } from "./backup.ts";

it("G-26 keeps the files of a folder without running a filter of a repository that an agent made in it", async (t) => {
	const s = scratchRepository(t);
	const ran = join(s.root, "..", "ran");
	const nested = join(s.root, "n");
	mkdirSync(nested);
	s.git(["init", "-q"], nested);
	s.write("f", "x", nested);
	s.git(["add", "f"], nested);
	s.git(["-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-qm", "f"], nested);
	s.git(["config", "filter.e.clean", `touch '${ran}'; cat`], nested);
	s.write(".git/info/attributes", "* filter=e\n", nested);
	s.git(["add", "n"]);
	s.git(["commit", "-qm", "n"]);
	s.write("f", "z", nested);
	// Of the same size, so that only its content can tell.
	utimesSync(join(nested, "f"), new Date(), new Date(Date.now() + 60_000));
	s.write("new.txt", "n");
	const kept = await keepWork(s.root, join(s.root, ".git"), "US-001");
	assert.equal(s.git(["show", `${kept}:new.txt`]), "n");
	assert.equal(existsSync(ran), false);
});
