// A task document: Markdown with phases, tasks and their success criteria → stories. All problems are
// reported together, each with its line. Pure; the text is untrusted, and the caller has bounded its size.
import type { StorySeed } from "../../core/input.ts";
import { withoutClosing } from "../../text/markdown.ts";

export interface Phase {
	/** The number as written. Order comes from the list, never from this number. */
	readonly label: string;
	readonly name: string;
	/** The text before its first task, for everybody who works on one of its tasks. */
	readonly about?: string;
}

export interface TaskDocument {
	readonly title: string;
	/** The text before the first phase and every section that is no phase, for everybody. */
	readonly about: string;
	readonly phases: readonly Phase[];
	readonly tasks: readonly StorySeed[];
	/** What looks like a criterion but belongs to no task: it is text for everybody, and nobody checks it. */
	readonly unplaced: readonly LineProblem[];
}

export interface LineProblem {
	readonly line: number;
	readonly message: string;
}

export type ReadDocument =
	| { readonly ok: true; readonly document: TaskDocument }
	| { readonly ok: false; readonly problems: readonly LineProblem[] };

interface OpenTask {
	readonly line: number;
	readonly id: string;
	readonly name: string;
	readonly phase: string;
	readonly text: string[];
	readonly criteria: string[];
}

const PHASE = /^##[ \t]+Phase\b[ \t]*(.*)$/i;
const TASK = /^###[ \t]+Task\b[ \t]*(.*)$/i;
const TITLE = /^#[ \t]+(.*)$/;
const HEADING = /^(#{1,3})[ \t]+\S/;
/** The heading of a phase or task, whatever its level. */
const MISPLACED = /^#{1,6}[ \t]+(?:(phase)[ \t]+\d{1,4}|task[ \t]+\d{1,4}\.\d{1,4})[ \t]*:/i;
/** Below it every entry of a list is a criterion, with or without a box. */
const CRITERIA = /^(?:#{3,6}[ \t]+|\*\*|__)(?:success|acceptance)[ \t]+criteria\b[ \t:*_#]*$/i;
const BOX = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX])\](?:[ \t]+(.*))?$/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$/;
const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})(.*)$/;

/** `## Phase N: name`, `### Task N.M: name`, text, and boxes `- [ ] criterion`. */
export function readTaskDocument(text: string, fallbackTitle = "Tasks"): ReadDocument {
	const reader = new DocumentReader();
	const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
	for (const [index, line] of lines.entries()) reader.take(line, index + 1);
	return reader.end(fallbackTitle);
}

class DocumentReader {
	private readonly problems: LineProblem[] = [];
	private readonly unplaced: LineProblem[] = [];
	private readonly phases: (Phase & { readonly line: number; readonly text: string[]; tasks: number })[] = [];
	private readonly tasks: OpenTask[] = [];
	/** Where each was first seen. */
	private readonly taskLines = new Map<string, number>();
	private readonly labels = new Set<string>();
	private readonly about: string[] = [];
	/** Where text goes: to everybody, to a phase or to a task. */
	private text: string[] = this.about;
	private title = "";
	private task: OpenTask | null = null;
	/** A criterion that may continue on the next line. */
	private box = false;
	/** Below a heading such as `### Success criteria`. */
	private listing = false;
	private fence: string | null = null;

	take(line: string, number: number): void {
		if (this.inFence(line)) return this.plain(line);
		const phase = PHASE.exec(line);
		const task = TASK.exec(line);
		const box = BOX.exec(line);
		const misplaced = MISPLACED.exec(line);
		if (phase) this.beginPhase(headingText(phase[1]), number);
		else if (task) this.beginTask(headingText(task[1]), number);
		else if (this.isTitle(line)) this.title = headingText(TITLE.exec(line)?.[1]);
		else if (misplaced)
			this.wrong(
				number,
				misplaced[1] ? "a phase is `## Phase N: NAME`, with two marks" : "a task is `### Task N.M: NAME`, with three marks",
			);
		else if (this.task !== null && CRITERIA.test(line)) this.beginCriteria();
		else if (HEADING.test(line)) this.otherHeading(line);
		else if (box) this.criterion((box[2] ?? "").trim(), line, number);
		else if (this.listing && ITEM.test(line)) this.criterion((ITEM.exec(line)?.[1] ?? "").trim(), line, number);
		else this.plain(line);
	}

	end(fallbackTitle: string): ReadDocument {
		if (this.phases.length === 0) this.wrong(1, "there is no phase: a phase is a heading `## Phase 1: NAME`");
		for (const phase of this.phases)
			if (phase.tasks === 0)
				this.wrong(phase.line, `phase ${phase.label} has no task: a task is a heading \`### Task ${phase.label}.1: NAME\``);
		for (const task of this.tasks)
			if (task.criteria.length === 0)
				this.wrong(task.line, `task ${task.id} has no success criterion: add at least one line \`- [ ] what must hold\``);
		if (this.problems.length > 0) return { ok: false, problems: this.problems.toSorted((a, b) => a.line - b.line) };
		return {
			ok: true,
			document: {
				title: this.title || fallbackTitle,
				about: this.about.join("\n").trim(),
				phases: this.phases.map(({ label, name, text }) => {
					const about = text.join("\n").trim();
					return { label, name, ...(about === "" ? {} : { about }) };
				}),
				tasks: this.tasks.map(toStory),
				unplaced: this.unplaced,
			},
		};
	}

	private inFence(line: string): boolean {
		const mark = FENCE.exec(line);
		if (this.fence !== null) {
			const [, marks = "", rest = ""] = mark ?? [];
			if (marks.startsWith(this.fence) && rest.trim() === "") this.fence = null;
			return true;
		}
		// A line such as ```` ```x``` ```` opens nothing.
		if (!mark || (mark[1]?.startsWith("`") && mark[2]?.includes("`"))) return false;
		this.fence = mark[1] ?? "```";
		return true;
	}

	private beginPhase(text: string, line: number): void {
		this.close();
		const [, label = "", name = ""] = /^(\d{1,4})[ \t]*:[ \t]*(.*)$/.exec(text) ?? [];
		if (label === "") return this.wrong(line, "a phase is `## Phase N: NAME`, with a number and a name");
		// A phase without a name still contains the tasks below it.
		if (name === "") this.wrong(line, `phase ${label} has no name: write \`## Phase ${label}: NAME\``);
		if (this.labels.has(label)) this.wrong(line, `there is a phase ${label} already`);
		this.labels.add(label);
		this.text = [];
		this.phases.push({ label, name, line, text: this.text, tasks: 0 });
	}

	private beginTask(text: string, line: number): void {
		this.close();
		const phase = this.phases.at(-1);
		const [, number = "", part = "", name = ""] = /^(\d{1,4})\.(\d{1,4})[ \t]*:[ \t]*(.*)$/.exec(text) ?? [];
		if (phase) phase.tasks++;
		if (number === "") return this.wrong(line, "a task is `### Task N.M: NAME`: the number of its phase, its own number and a name");
		const id = `${number}.${part}`;
		if (!phase) this.wrong(line, `task ${id} comes before any phase: a phase is a heading \`## Phase ${number}: NAME\``);
		else if (phase.label !== number)
			this.wrong(line, `task ${id} is under phase ${phase.label}: call it ${phase.label}.${part}, or move it`);
		if (name === "") this.wrong(line, `task ${id} has no name: write \`### Task ${id}: NAME\``);
		const twin = this.taskLines.get(id);
		if (twin === undefined) this.taskLines.set(id, line);
		else this.wrong(line, `there is a task ${id} already, in line ${twin}`);
		this.task = { line, id, name, phase: phase?.label ?? "", text: [], criteria: [] };
		this.tasks.push(this.task);
		this.text = this.task.text;
	}

	private isTitle(line: string): boolean {
		return this.title === "" && this.phases.length === 0 && TITLE.test(line);
	}

	private beginCriteria(): void {
		this.listing = true;
		this.box = false;
	}

	/** One of the third level is a part of the task or phase that it stands in; a higher one begins a section for everybody. */
	private otherHeading(line: string): void {
		this.box = false;
		this.listing = false;
		if (!line.startsWith("###")) {
			this.close();
			this.text = this.about;
			if (this.phases.length > 0) this.text.push("");
		}
		this.text.push(line);
	}

	private criterion(text: string, line: string, number: number): void {
		if (this.task === null) {
			this.unplaced.push({ line: number, message: `this box belongs to no task: agents get it as text, unchecked: ${text}` });
			return this.plain(line);
		}
		if (text === "") this.wrong(number, "this box says nothing: write what must hold behind `[ ]`");
		this.task.criteria.push(text);
		this.box = true;
	}

	private plain(line: string): void {
		const last = this.task?.criteria.length ?? 0;
		if (this.box && this.task && /^[ \t]+\S/.test(line) && !ITEM.test(line) && this.fence === null) {
			this.task.criteria[last - 1] = `${this.task.criteria[last - 1]} ${line.trim()}`;
			return;
		}
		this.box = false;
		if (line.trim() !== "") this.listing = false;
		this.text.push(line);
	}

	private close(): void {
		this.task = null;
		this.box = false;
		this.listing = false;
	}

	private wrong(line: number, message: string): void {
		this.problems.push({ line, message });
	}
}

const headingText = (text = ""): string => withoutClosing(text).trim();

const toStory = (task: OpenTask, index: number): StorySeed => ({
	id: task.id,
	title: task.name,
	description: task.text.join("\n").trim(),
	criteria: task.criteria,
	priority: index + 1,
	dependsOn: [],
	// A task passes if its criteria hold, even if nothing had to be changed.
	expectsChange: false,
	group: task.phase,
});
