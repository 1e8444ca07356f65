// What `pawl run` was given → a run over a run folder (one word: its id), or over a bare prompt (anything longer).
import type { Reader, ReaderInput, ReaderResult } from "../../reader.ts";
import { countIn, objectIn, RALPH, RunFolder, runIdProblem } from "./folder.ts";
import { readiness } from "./readiness.ts";
import { type Settings, settingsIn } from "./settings.ts";
import { nextStory, type PrdDoc, passedCount, topOf } from "./stories.ts";

const MAX_ITERATIONS = 10;
/** The initial fields of a folder whose loop has not begun. */
const NEW = new Set(["pending", "completed"]);

export const runFolder: Reader = async (given) => {
	const word = given.text
		?.trim()
		.replace(/^(?:\.\/)?ralph\/runs\//, "")
		.replace(/\/$/, "");
	if (word === undefined || word === "")
		return refused(['which run folder? pawl run ralph RUN_ID, or pawl run ralph "PROMPT" --promise TEXT']);
	if (/\s/.test(word)) return null;
	const problem = runIdProblem(word);
	if (problem !== null) return refused([problem]);
	const folder = new RunFolder(given.tree, word);
	if (!folder.exists())
		return refused([`there is no run folder ${folder.own()}: pawl ralph init ${word} makes one (a prompt has more than one word)`]);
	const { missing, doc } = readiness(folder);
	if (missing.length > 0 || doc === null)
		return refused([`${folder.own()} is not ready (see pawl ralph check ${word}):`, ...missing.map((m) => `  ${m}`)]);
	return read(given, folder, doc);
};

const refused = (problems: readonly string[]): ReaderResult => ({ ok: false, problems });

function read(given: ReaderInput, folder: RunFolder, doc: PrdDoc): ReaderResult {
	const settings = settingsIn(folder, doc);
	const run = objectIn(folder.text(folder.own("run.json"))) ?? {};
	const fresh = given.options.fresh === true || isNew(run);
	const prompt = folder.text(folder.own("PROMPT.md")) ?? "";
	const title = topOf(doc, "title") ?? topOf(doc, "name") ?? topOf(doc, "project");
	return {
		ok: true,
		title: `${folder.id}: ${typeof title === "string" && title !== "" ? title : `${doc.stories.length} stories`}`,
		stories: [],
		input: {
			folder: folder.path(folder.own()),
			folder_id: folder.id,
			folder_name: folder.own(),
			prompt_file: folder.path(folder.own("PROMPT.md")),
			progress_file: folder.path(folder.own("progress.md")),
			task_file: folder.path(folder.own("task.json")),
			...(fresh ? { begins: "anew" } : {}),
		},
		fields: {
			...limits(given, settings),
			promise: promiseOf(given) ?? promiseIn(prompt) ?? "",
			max_iterations: String(given.options.maxIterations ?? countIn(run["max_iterations"], 1) ?? MAX_ITERATIONS),
			...(fresh ? fromScratch(folder, run) : fromFolder(folder, run)),
			story: nextStory(doc) ?? "",
			final_why: "",
			stories_passed: String(passedCount(doc)),
			stories_total: String(doc.stories.length),
		},
		source: ["folder"],
		renewed: ["scheme", "error_retries", ...renewedBy(given)],
		own: [RALPH],
		begun: !fresh,
		commands: commandsIn(folder),
	};
}

const promiseOf = ({ flags }: ReaderInput): string | undefined => (typeof flags["promise"] === "string" ? flags["promise"] : undefined);

/** What the user changes for a continued run. */
const renewedBy = (given: ReaderInput): string[] => [
	...(given.options.maxIterations === undefined ? [] : ["max_iterations"]),
	...(promiseOf(given) === undefined ? [] : ["promise"]),
	...(given.options.delay === undefined ? [] : ["delay"]),
];

const limits = (given: ReaderInput, settings: Settings): Record<string, string> => ({
	scheme: settings.scheme,
	error_retries: String(settings.errors - 1),
	delay: String(given.options.delay ?? 0),
});

function isNew(run: Readonly<Record<string, unknown>>): boolean {
	const status = run["status"] ?? "pending";
	return status === "completed" || (NEW.has(String(status)) && (countIn(run["iteration"], 1) ?? 0) === 0);
}

/** A prepared folder may say where to begin; one whose run has ended begins again. */
function fromScratch(folder: RunFolder, run: Readonly<Record<string, unknown>>): Record<string, string> {
	if (run["status"] === "completed") return { start_iteration: "0", start_cursor: "0", start_queue: "" };
	return { ...positionIn(folder), start_iteration: "0" };
}

/** The folder alone is enough to continue: iteration, position in the schedule, queue, and when steering and reviews last ran. */
function fromFolder(folder: RunFolder, run: Readonly<Record<string, unknown>>): Record<string, string> {
	const state = objectIn(folder.text(folder.own("loop_state.json"))) ?? {};
	const kept = ["story_completions", "last_review_iteration", "last_steering_iteration"].flatMap((name) => {
		const count = countIn(state[name], 1);
		return count === undefined ? [] : [[name, String(count)] as const];
	});
	const position = positionIn(folder);
	const steering = state["steering_requested"] === true && !position.start_queue.includes("S") ? "S" : "";
	return {
		...position,
		start_queue: steering + position.start_queue,
		start_iteration: String(countIn(run["iteration"]) ?? 0),
		...Object.fromEntries(kept),
	};
}

function positionIn(folder: RunFolder): { start_cursor: string; start_queue: string } {
	const orchestration = objectIn(folder.text(folder.own("orchestration.json"))) ?? {};
	const queue = (Array.isArray(orchestration["queue"]) ? orchestration["queue"] : []).map(letterOf).join("");
	const final = orchestration["final_review_pending"] === true && !queue.includes("F") ? "F" : "";
	return { start_cursor: String(countIn(orchestration["cursor"]) ?? 0), start_queue: queue + final };
}

/** `R`, `reviewer`, `adhoc`, `{"role": "reviewer", "review_mode": "final"}`: as different tools write it. */
export function letterOf(entry: unknown): string {
	const text = (typeof entry === "string" ? entry : JSON.stringify(entry ?? "")).toLowerCase();
	if (/final|^f$/.test(text)) return "F";
	if (/steer|^s$/.test(text)) return "S";
	if (/review|adhoc|^[ra]$/.test(text)) return "A";
	return /worker|^w$/.test(text) ? "W" : "";
}

/** The last one in the text: prompts explain the promise before they give it. */
export function promiseIn(text: string): string | null {
	const tags = [...text.matchAll(/<promise>([^<\n]*\S[^<\n]*)<\/promise>/g)].map((m) => m[1]?.trim() ?? "");
	return tags.at(-1) ?? null;
}

/** The commands of `ralph/config.json`, each with the task file's path in it. */
function commandsIn(folder: RunFolder): Record<string, string> {
	const driver = objectIn(folder.text(`${RALPH}/config.json`))?.["driver"];
	if (typeof driver !== "object" || driver === null) return {};
	const { worker_cmd: worker, reviewer_cmd: reviewer } = driver as Record<string, unknown>;
	const taskFile = asWord(folder.path(folder.own("task.json")));
	const filled = (command: unknown): string | null =>
		typeof command === "string" && command.trim() !== "" ? inShell(command.replaceAll("{task_file}", () => taskFile)) : null;
	const [work, review] = [filled(worker), filled(reviewer)];
	return { ...(work === null ? {} : { worker: work, steering: work }), ...(review === null ? {} : { reviewer: review }) };
}

/** A path that needs no quoting can be inserted anywhere, also inside quotes. */
const asWord = (path: string): string => (/^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/** A command that needs a shell gets one: the text is the repository's own, and nothing from an agent is inserted. */
const inShell = (command: string): string =>
	/[|&;<>$`*?()~#]/.test(command) ? `/bin/sh -c '${command.replaceAll("'", `'\\''`)}'` : command;

/** Without a folder: only workers, with the same prompt until the promise or the maximum. */
export const barePrompt: Reader = async (given) => {
	const text = given.text ?? "";
	if (!/\S\s+\S/.test(text)) return null;
	const promise = promiseOf(given) ?? promiseIn(text);
	const [title = ""] = text.trim().split("\n", 1);
	return {
		ok: true,
		title: title.slice(0, 72),
		stories: [],
		input: { prompt: text, request: text },
		fields: {
			scheme: "W",
			promise: promise ?? "",
			max_iterations: String(given.options.maxIterations ?? MAX_ITERATIONS),
			delay: String(given.options.delay ?? 0),
			error_retries: "2",
			start_iteration: "0",
			start_cursor: "0",
			start_queue: "",
			final_why: "",
			folder_name: "",
			task_file: "",
		},
	};
};
