// G-20: foreign input is said when it is not understood, and a changed document is taken up or named. Walked here: a list of stories or
// tasks that a person changes while its run stands still. What each reader says of what it does not understand is tested with the reader.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { storyOf } from "../../src/core/testing/builders.suite.ts";
import { type Cast, fails, type Turn } from "../../src/engine/testing/cast.suite.ts";
import type { HarnessOptions } from "../../src/engine/testing/harness.suite.ts";
import { resume } from "../../src/runs/control/resume.ts";
import { UNOBSERVED } from "../../src/runs/drive/observer.ts";
import { lookAt } from "../../src/runs/open.ts";
import { claimStep } from "../../src/runs/pull/claim.ts";
import { startPulled, startRun } from "../../src/runs/start/start.ts";
import { alsoIn } from "./also-in.ts";
import { Application, agentsOf, LEAVES } from "./application.ts";
import { type Driver, PATHS, type Path } from "./paths.ts";
import { rows } from "./walk.ts";

const NEW = "it says so in the manual 5521";
/** The name of the document, and how it is before and after. */
interface Document {
	readonly name: string;
	readonly story: string;
	readonly before: string;
	readonly after: string;
	readonly run: Partial<HarnessOptions>;
}

const prd = (...criteria: readonly string[]): string =>
	`${JSON.stringify({ userStories: [{ id: "US-1", title: "Story US-1", description: "Do it", acceptanceCriteria: ["a file", ...criteria] }] })}\n`;
const LIST: Document = {
	...{ name: "prd.json", story: "US-1", before: prd(), after: prd(NEW) },
	run: {
		stories: [storyOf("US-1", { description: "Do it", criteria: ["a file"] })],
		inputOf: (root) => ({ prd: join(root, "prd.json") }),
	},
};

/** null: the run was started with a sentence, an issue or a folder, which its agents read themselves, each time. */
function documentOf({ options, workspace }: Path): Document | null {
	if (workspace === "worktree") return LIST;
	const [name = "", text = ""] = Object.entries(options.files ?? {}).find(([file]) => file === options.given) ?? [];
	if (!name.endsWith(".md")) return null;
	return { name, story: "1.1", before: text, after: text.replace("- [ ] Notes", `- [ ] ${NEW}\n- [ ] Notes`), run: {} };
}

class Changed {
	readonly app: Application;
	private readonly document: Document;
	/** The criteria of the story at each session after the change. */
	readonly known: (readonly string[])[] = [];
	private changed = false;

	constructor(app: Application, document: Document) {
		this.document = document;
		this.app = app;
	}

	static async of(path: Path, driver: Driver, document: Document): Promise<Changed> {
		const files = { ...path.options.files, [document.name]: document.before };
		const cast: Cast = { "*": (turn) => one.plays(turn) };
		const one: Changed = new Changed(await Application.of(path, driver, { run: { ...document.run, files }, cast }), document);
		return one;
	}

	/** The first session is stopped; the next one ends the run. */
	async plays(turn: Turn) {
		if (this.changed) {
			await this.look();
			return fails("out_of_credit", "your credit is used up");
		}
		const id = await lookAt(this.app.at(), undefined, ({ state }) => state.id);
		await this.app.h.store.open(turn.now).post(id, { type: "stop", at: turn.now(), how: "pause" });
		await turn.hangs();
		return undefined;
	}

	async look(): Promise<void> {
		const { story } = this.document;
		this.known.push(await lookAt(this.app.at(), undefined, ({ state }) => state.stories.find(({ id }) => id === story)?.criteria ?? []));
	}

	change(): void {
		this.changed = true;
		writeFileSync(join(this.app.h.site.root, this.document.name), this.document.after);
	}
}

async function goesOn(one: Changed, driver: Driver): Promise<void> {
	const { app } = one;
	const prepared = await app.prepared();
	if (driver === "pulled") {
		await startPulled(app.at(), prepared);
		for (const agent of agentsOf(prepared.definition)) await claimStep(app.at(), { agent, run: undefined, leaseMs: null });
		one.change();
		await resume(app.at(), undefined, {}, UNOBSERVED);
		return one.look();
	}
	if (driver === "shared") {
		await startRun(app.at(), prepared, LEAVES);
		one.change();
		await startRun(app.at(), { ...prepared, repository: app.repository() }, LEAVES);
		return one.look();
	}
	await startRun(app.at(), prepared, UNOBSERVED);
	one.change();
	// `pawl run` on the same document goes on with the unfinished run.
	if (driver === "run") await startRun(app.at(), { ...prepared, repository: app.repository() }, UNOBSERVED);
	else await resume(app.at(), undefined, {}, UNOBSERVED);
}

rows(
	"G-20 a document that a person changes while its run stands still is taken up when the run goes on, and named",
	async (path, driver) => {
		const document = documentOf(path);
		if (document === null) return "the run has no document that can change";
		const one = await Changed.of(path, driver, document);
		try {
			await goesOn(one, driver);
			assert.ok(one.known.length > 0);
			for (const criteria of one.known) assert.ok(criteria.includes(NEW), criteria.join(", "));
			const said = one.app.said.filter((text) => text.includes(document.name));
			assert.match(said.join("\n"), new RegExp(`chang.*${document.story.replace(".", "\\.")}`));
			return null;
		} finally {
			one.app.remove();
		}
	},
);

test("G-20 the paths with a document that can change are walked", () => {
	const walked = PATHS.filter((path) => documentOf(path) !== null).map(({ name }) => name);
	assert.deepEqual(walked, ["dynamic, stories", "phased", "a user's stories"]);
});

alsoIn("G-20", "src/format/pipeline/compile.test.ts", "src/runs/change/story-changes.test.ts", "test/phased/run.test.ts");
