// One small run of each workflow, with scripted agents, in a folder of its own: what is in it before, how it is started, how it goes on.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeRecordingSite } from "../journals/recording-site.ts";
import { RECORDINGS, type Recording } from "../journals/recordings.ts";
import { PAWL, PROJECT } from "../support/bin.ts";
import { DRAIN_MS } from "./tracer.ts";

/** A pawl takes seconds, on a machine that is busy with other things minutes; one that hangs does not end at all. */
export const LONGEST_MS = 5 * 60_000;

export const WORKFLOWS = ["dynamic", "one-shot", "phased", "ralph", "gated", "feature-dev"] as const;
export type Workflow = (typeof WORKFLOWS)[number];

const DOCUMENT = `# Small

One job.

## Phase 1: All of it

### Task 1.1: Job 1.1

Do it.

- [ ] File exists \`test -f work/1.1.txt\`
- [ ] Notes are written
`;

const twoStories = (text: string): string => {
	const prd = JSON.parse(text) as { userStories: { id: string }[] };
	return `${JSON.stringify({ ...prd, userStories: prd.userStories.slice(0, 2) }, null, 2)}\n`;
};

function recordingOf(workflow: Workflow): Recording {
	const name = { dynamic: "dynamic-prd", "one-shot": "dynamic-request" }[workflow as string] ?? workflow;
	const found = RECORDINGS.find((one) => one.name === `${name}.finished`);
	if (found === undefined) throw new Error(`there is no recording of ${workflow}`);
	const { files } = found;
	if (workflow === "dynamic") return { ...found, files: { ...files, "prd.json": twoStories(files["prd.json"] ?? "") } };
	if (workflow === "phased") return { ...found, files: { ...files, "tasks/demo.md": DOCUMENT } };
	return found;
}

export interface Site {
	readonly workflow: Workflow;
	readonly root: string;
	readonly cwd: string;
	/** The arguments of the first pawl. */
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	remove(): void;
}

export interface Ended {
	readonly code: number | null;
	readonly out: string;
	readonly err: string;
	readonly late: boolean;
}

/** All files of the run are below its root, those of a one-shot too. */
export function makeSite(workflow: Workflow): Site {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-durable-")));
	const recording = recordingOf(workflow);
	const made = makeRecordingSite(recording, root, PROJECT);
	mkdirSync(join(root, "tmp"));
	let args: readonly string[] = [];
	recording.record({
		...made,
		pawl: (given) => {
			args = given;
			return "";
		},
	});
	return siteIn(root, workflow, made.cwd, workflow === "one-shot" ? args.slice(2) : args);
}

function siteIn(root: string, workflow: Workflow, cwd: string, args: readonly string[]): Site {
	return {
		workflow,
		root,
		cwd: join(root, cwd),
		args,
		env: {
			PATH: process.env["PATH"] ?? "",
			HOME: join(root, "home"),
			XDG_CONFIG_HOME: join(root, "home"),
			TMPDIR: join(root, "tmp"),
			NO_COLOR: "1",
			LANG: "C.UTF-8",
			GIT_CONFIG_GLOBAL: "/dev/null",
			GIT_CONFIG_SYSTEM: "/dev/null",
			...(process.env["NODE_COMPILE_CACHE"] === undefined ? {} : { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }),
		},
		remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
	};
}

/** What lies in the folder now, put back into the same folder whenever it is asked for: a journal holds absolute paths. */
export function imageOf(site: Site): { restore(): void; remove(): void; readonly folder: string } {
	const folder = `${site.root}.image`;
	const copy = (from: string, to: string) => {
		rmSync(to, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
		cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
	};
	copy(site.root, folder);
	return { restore: () => copy(folder, site.root), remove: () => rmSync(folder, { recursive: true, force: true }), folder };
}

export const command = (args: readonly string[]): string[] => [PAWL, ...args];

/** pawl without anything around it; killed after a while. */
export function pawl(site: Site, args: readonly string[], ms = LONGEST_MS): Promise<Ended> {
	const child = spawn(PAWL, [...args], { cwd: site.cwd, env: site.env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
	const text = { out: "", err: "" };
	child.stdout.on("data", (chunk: Buffer) => {
		text.out += chunk.toString("utf8");
	});
	child.stderr.on("data", (chunk: Buffer) => {
		text.err += chunk.toString("utf8");
	});
	let late = false;
	const timer = setTimeout(() => {
		late = true;
		if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
	}, ms);
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("exit", (code) => {
			clearTimeout(timer);
			setTimeout(() => resolve({ code, ...text, late }), DRAIN_MS);
		});
	});
}
