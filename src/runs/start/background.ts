// Starts a run in its own process, which continues after this one has ended.
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import type { RunsContext } from "../context.ts";
import { runFolder } from "../repository.ts";
import type { Prepared } from "./prepare.ts";

export function resumeInBackground(c: RunsContext, { repository, definition, mode }: Prepared, run: string): void {
	const log = openSync(join(runFolder(repository.root, run), "pawl.log"), "a");
	const [command = "", ...args] = c.self;
	// A run in the user's tree continues in that tree, which may not be the main checkout, and takes over the hold on it.
	const cwd = definition.inputs[mode]?.workspace === "tree" ? repository.tree().path : repository.root;
	repository.freeTree();
	spawn(command, [...args, "resume", run], { cwd, detached: true, stdio: ["ignore", log, log] }).unref();
}
