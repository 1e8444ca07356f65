// A new run of a loop: its input and first fields, from a run folder or from a prompt alone.
import type { ReaderInput, ReaderResult } from "../../reader.ts";
import { countIn, objectIn, RALPH, type RunFolder } from "./folder.ts";
import { type Settings, settingsIn } from "./settings.ts";
import { nextStory, type PrdDoc, passedCount, topOf, wordOf } from "./stories.ts";

const MAX_ITERATIONS = 10;
/** The initial fields of a folder whose loop has not begun. */
const NEW = new Set(["pending", "completed"]);

export const refused = (problems: readonly string[]): ReaderResult => ({ ok: false, problems });

/** The run of a folder that is ready. `scheme`: the one that is used if nothing names one. */
export function newRun(given: ReaderInput, folder: RunFolder, doc: PrdDoc, scheme?: string): ReaderResult {
	const settings = settingsIn(folder, doc, scheme);
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
			prompt_name: folder.own("PROMPT.md"),
			prd_name: folder.own("prd.json"),
			progress_name: folder.own("progress.md"),
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
			review_from: "",
			steering_why: "",
			stories_passed: String(passedCount(doc)),
			stories_total: String(doc.stories.length),
		},
		source: ["folder"],
		renewed: ["scheme", "error_retries", ...renewedBy(given)],
		own: [RALPH],
		begun: !fresh,
		...(fresh && nextStory(doc) === null && doc.stories.length > 0
			? { warnings: [`${folder.own("prd.json")}: every story passes already; set \`passes\` to false in those that are to be done again`] }
			: {}),
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
	return status === "completed" || (NEW.has(wordOf(status)) && (countIn(run["iteration"], 1) ?? 0) === 0);
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

/** The commands of `ralph/config.json`, each with the paths in it that a template leaves open: of the task file, and of the checkout. */
function commandsIn(folder: RunFolder): Record<string, string> {
	const driver = objectIn(folder.text(`${RALPH}/config.json`))?.["driver"];
	if (typeof driver !== "object" || driver === null) return {};
	const { worker_cmd: worker, reviewer_cmd: reviewer } = driver as Record<string, unknown>;
	const taskFile = asWord(folder.path(folder.own("task.json")));
	const filled = (command: unknown): string | null =>
		typeof command === "string" && command.trim() !== ""
			? inShell(command.replaceAll("{task_file}", () => taskFile).replaceAll("<PROJECT_ROOT>", () => asWord(folder.tree)))
			: null;
	const [work, review] = [filled(worker), filled(reviewer)];
	return { ...(work === null ? {} : { worker: work, steering: work }), ...(review === null ? {} : { reviewer: review }) };
}

/** A path that needs no quoting can be inserted anywhere, also inside quotes. */
const asWord = (path: string): string => (/^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/** A command that needs a shell gets one: the text is the repository's own, and nothing from an agent is inserted. */
const inShell = (command: string): string =>
	/[|&;<>$`*?()~#]/.test(command) ? `/bin/sh -c '${command.replaceAll("'", `'\\''`)}'` : command;

/** Only workers, with the same prompt until the promise or the maximum. */
export function withoutFolder(given: ReaderInput, text: string, input: Readonly<Record<string, string>>): ReaderResult {
	const [title = ""] = text.trim().split("\n", 1);
	return {
		ok: true,
		title: title.replace(/^#+\s*/, "").slice(0, 72),
		stories: [],
		input,
		fields: {
			scheme: "W",
			promise: promiseOf(given) ?? promiseIn(text) ?? "",
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
}
