// What agents are told in the demos: plays a demo, records its prompts, and makes the pages of docs/prompts/ from them.
// npm run prompts: writes the pages. test/demos/ compares them with the code.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const PROJECT = fileURLToPath(new URL("..", import.meta.url));

/** Stands for the folder of the demo, whose name differs from run to run. */
export const DEMO_FOLDER = "/demo/greet";

/** Page → the demo that it is made from. The stories of `pawl demo dynamic` run side by side, so what they read of each other differs from
 * run to run; those of one request do not. */
export const PAGES: Readonly<Record<string, string>> = {
	dynamic: "one-shot",
	phased: "phased",
	ralph: "ralph",
	gated: "gated",
	"feature-dev": "feature-dev",
	"bug-fix": "bug-fix",
	"security-audit": "security-audit",
	plan: "plan",
};

export interface RecordedPrompt {
	/** Empty for a step of the run itself. */
	readonly story: string;
	readonly step: string;
	readonly type: string;
	readonly role: string;
	readonly attempt: number;
	readonly cwd: string;
	readonly prompt: string;
}

export interface RecordedDemo {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
	/** The demo's repository. */
	readonly folder: string;
	/** In the order in which they were given. */
	readonly prompts: readonly RecordedPrompt[];
}

/** Plays a demo as `checkout` has it; its repository is made in `home`. */
export async function recordDemo(args: readonly string[], home: string, checkout = PROJECT): Promise<RecordedDemo> {
	const file = join(home, "prompts.jsonl");
	writeFileSync(file, "");
	const child = spawn(process.execPath, [join(PROJECT, "scripts", "recorded-pawl.child.ts"), checkout, file, "demo", ...args], {
		cwd: home,
		env: { ...process.env, NO_COLOR: "1", TMPDIR: home, XDG_CONFIG_HOME: join(home, "no-config") },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const parts: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
	child.stdout.on("data", (chunk: Buffer) => parts.stdout.push(chunk));
	child.stderr.on("data", (chunk: Buffer) => parts.stderr.push(chunk));
	const code = await new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
	const [stdout, stderr] = [Buffer.concat(parts.stdout).toString(), Buffer.concat(parts.stderr).toString()];
	const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
	const prompts = lines.map((line) => JSON.parse(line) as RecordedPrompt);
	return { code, stdout, stderr, folder: /\/[^\s"]*\/pawl-demo-\w+/.exec(stderr)?.[0] ?? "", prompts: inOrder(prompts) };
}

/** The members of a gate start at the same time: the order of their attempts counts. */
function inOrder(prompts: readonly RecordedPrompt[]): RecordedPrompt[] {
	const steps: RecordedPrompt[][] = [];
	for (const prompt of prompts) {
		const last = steps.at(-1);
		if (last?.[0]?.story === prompt.story && last[0].step === prompt.step) last.push(prompt);
		else steps.push([prompt]);
	}
	return steps.flatMap((attempts) => attempts.toSorted((a, b) => a.attempt - b.attempt));
}

/** The page of a workflow in docs/prompts/. */
export function promptPage(workflow: string, { prompts, folder }: RecordedDemo): string {
	const texts = stable(
		prompts.map(({ prompt }) => prompt),
		folder,
	);
	const largest = Math.max(...texts.map((text) => Buffer.byteLength(text)));
	const sections = prompts.map((prompt, index) => sectionOf(prompt, index, texts));
	return `# What the agents of \`${workflow}\` are told

Made by \`npm run prompts\` from a run of \`pawl demo ${PAGES[workflow]}\`; do not edit it. ${prompts.length} prompts in the order in which they were given; the largest has
${kilobytes(largest)}. Paths, commits, ids of runs and times are replaced by names.

${sections.join("\n\n")}
`;
}

function sectionOf({ story, type, role, attempt }: RecordedPrompt, index: number, texts: readonly string[]): string {
	const text = texts[index] ?? "";
	const same = texts.indexOf(text);
	const title = `## ${index + 1}. ${story === "" ? "" : `${story}: `}${type}, ${role}${attempt === 1 ? "" : `, attempt ${attempt}`}`;
	if (same < index) return `${title}\n\nThe same, byte for byte, as ${same + 1}.`;
	const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
	return `${title}\n\n${kilobytes(Buffer.byteLength(text))}\n\n${fence}text\n${text.replace(/\n*$/, "\n")}${fence}`;
}

export const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

/** Without what differs from run to run. */
function stable(texts: readonly string[], folder: string): string[] {
	const commits = commitsIn(folder);
	const names = new Map<string, string>();
	const nameOf = (word: string): string => {
		const commit = commits.find((one) => one.startsWith(word));
		if (commit === undefined) return word;
		if (!names.has(commit)) names.set(commit, `commit-${names.size + 1}`);
		return names.get(commit) ?? word;
	};
	return texts.map((text) =>
		text
			.replaceAll(folder, DEMO_FOLDER)
			.replaceAll(/\b\d{8}-\d{6}-[a-z0-9]{4}\b/g, "RUN")
			.replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
			.replaceAll(/\b[0-9a-f]{7,40}\b/g, nameOf),
	);
}

/** Also those that no branch holds any more. */
const commitsIn = (folder: string): string[] =>
	execFileSync("git", ["cat-file", "--batch-all-objects", "--batch-check"], { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 26 })
		.split("\n")
		.filter((line) => / commit /.test(line))
		.map((line) => line.slice(0, 40));

/** In a folder that is gone afterwards. */
export async function withRecordedDemo<T>(
	args: readonly string[],
	work: (demo: RecordedDemo) => T | Promise<T>,
	checkout = PROJECT,
): Promise<T> {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "pawl-prompts-")));
	try {
		const demo = await recordDemo(args, home, checkout);
		if (demo.code !== 0) throw new Error(`pawl demo ${args.join(" ")} in ${checkout} exited ${demo.code}\n${demo.stderr.slice(-2000)}`);
		return await work(demo);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

if (import.meta.main)
	for (const [workflow, demo] of Object.entries(PAGES)) {
		const text = await withRecordedDemo([demo, "--fast"], (recorded) => promptPage(workflow, recorded));
		writeFileSync(join(PROJECT, "docs", "prompts", `${workflow}.md`), text);
		console.log(`docs/prompts/${workflow}.md`);
	}
