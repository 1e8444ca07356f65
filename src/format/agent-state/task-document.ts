// A task document: Markdown with phases, tasks and their success criteria → stories. All problems are
// reported together, each with its line. Pure; the text is untrusted, and the caller has bounded its size.
import type { StorySeed } from "../../core/input.ts";

export interface Phase {
	/** The number as written. Order comes from the list, never from this number. */
	readonly label: string;
	readonly name: string;
}

export interface TaskDocument {
	readonly title: string;
	/** The text before the first phase. */
	readonly about: string;
	readonly phases: readonly Phase[];
	readonly tasks: readonly StorySeed[];
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
const BOX = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX])\](?:[ \t]+(.*))?$/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]/;
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
	private readonly phases: (Phase & { readonly line: number; tasks: number })[] = [];
	private readonly tasks: OpenTask[] = [];
	private readonly about: string[] = [];
	private title = "";
	private task: OpenTask | null = null;
	/** A criterion that may continue on the next line. */
	private box = false;
	private fence: string | null = null;
	/** After a heading that is neither a phase nor a task: text that is ignored. */
	private aside = false;

	take(line: string, number: number): void {
		if (this.inFence(line)) return this.plain(line);
		const phase = PHASE.exec(line);
		const task = TASK.exec(line);
		const box = BOX.exec(line);
		if (phase) this.beginPhase(headingText(phase[1]), number);
		else if (task) this.beginTask(headingText(task[1]), number);
		else if (HEADING.test(line)) this.otherHeading(line);
		else if (box && this.task !== null) this.criterion((box[2] ?? "").trim(), number);
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
				phases: this.phases.map(({ label, name }) => ({ label, name })),
				tasks: this.tasks.map(toStory),
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
		if (this.phases.some((p) => p.label === label)) this.wrong(line, `there is a phase ${label} already`);
		this.phases.push({ label, name, line, tasks: 0 });
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
		const twin = this.tasks.find((t) => t.id === id);
		if (twin) this.wrong(line, `there is a task ${id} already, in line ${twin.line}`);
		this.task = { line, id, name, phase: phase?.label ?? "", text: [], criteria: [] };
		this.tasks.push(this.task);
	}

	private otherHeading(line: string): void {
		const title = TITLE.exec(line);
		if (title && this.title === "" && this.phases.length === 0) this.title = headingText(title[1]);
		else if (this.phases.length === 0) this.about.push(line);
		else {
			this.close();
			this.aside = true;
		}
	}

	private criterion(text: string, line: number): void {
		if (text === "") this.wrong(line, "this box says nothing: write what must hold behind `[ ]`");
		this.task?.criteria.push(text);
		this.box = true;
	}

	private plain(line: string): void {
		const last = this.task?.criteria.length ?? 0;
		if (this.box && this.task && /^[ \t]+\S/.test(line) && !ITEM.test(line) && this.fence === null) {
			this.task.criteria[last - 1] = `${this.task.criteria[last - 1]} ${line.trim()}`;
			return;
		}
		this.box = false;
		if (this.task) this.task.text.push(line);
		else if (this.phases.length === 0 && !this.aside) this.about.push(line);
	}

	private close(): void {
		this.task = null;
		this.box = false;
		this.aside = false;
	}

	private wrong(line: number, message: string): void {
		this.problems.push({ line, message });
	}
}

/** Removes closing `#` marks from a heading. */
const headingText = (text = ""): string => text.replace(/[ \t]+#+[ \t]*$/, "").trim();

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
