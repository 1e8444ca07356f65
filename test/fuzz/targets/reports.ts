// What agents say: their reports in every grammar, lists of stories, findings, answers about criteria, edits of their steps, and the output of checks.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { readAnswers, readCriteria, slugOf } from "../../../src/core/criterion.ts";
import { headOf, tailOf, withoutMiddle } from "../../../src/core/cut.ts";
import type { ReportGrammar } from "../../../src/core/definition.ts";
import { decideEdits } from "../../../src/core/edit/edit.ts";
import { failingPart } from "../../../src/core/failing-part.ts";
import { openAfter, repeated, unansweredBy } from "../../../src/core/finding.ts";
import { readEarlier } from "../../../src/core/report/earlier.ts";
import { readFindings } from "../../../src/core/report/findings.ts";
import { readGiven, signalsOf } from "../../../src/core/report/given.ts";
import { readReport } from "../../../src/core/report/report.ts";
import { readStories, readWholeList } from "../../../src/core/report/stories.ts";
import { storyIdProblem } from "../../../src/core/story-id.ts";
import { renderTemplate, templateNames } from "../../../src/core/template.ts";
import { dynamic } from "../../../src/core/testing/builders.suite.ts";
import { World } from "../../../src/core/testing/world.suite.ts";
import { asJson } from "../../../src/core/text/foreign-json.ts";
import { compileGrammar } from "../../../src/definition/roles.ts";
import { readEdits } from "../../../src/engine/edit-file.ts";
import { grammar } from "../../../src/format/pipeline/answers.ts";
import { fieldTexts } from "../../../src/runs/attempt/tools.ts";
import type { Target } from "../target.ts";

const PROMPT = "You review.\n\nEnd with\n\n```\nVERDICT: approved\n```\nor\nVERDICT: needs work\nFINDINGS:\n- [key] bug: text\n";

const pipelineGrammar = (...of: Parameters<typeof grammar>): ReportGrammar => compileGrammar(grammar(...of), [], () => undefined);

const GRAMMARS: Readonly<Record<string, ReportGrammar>> = {
	report: { notes: "summary", keys: [], signals: [] },
	"report-review": {
		notes: "summary",
		keys: ["VERDICT", "REASON"],
		signals: [
			{ signal: "done", when: { VERDICT: "approved" } },
			{ signal: "plan", when: { VERDICT: "needs work" }, finding: "plan" },
			{ signal: "fix", when: { VERDICT: "needs work|rejected" }, finding: "*" },
		],
		findings: "FINDINGS",
		earlier: "EARLIER",
		feedback: ["REASON"],
	},
	"report-promise": {
		notes: "text",
		keys: ["STATUS"],
		signals: [{ signal: "done", when: { STATUS: "complete*" } }],
		required: ["CRITERIA"],
		keep: { bugs: "BUG", learned: "LEARNED" },
		promise: "{{word}}",
	},
	"report-pipeline": pipelineGrammar(
		"STATUS: done",
		"Reply with:\nSTATUS: done\nSTORIES_JSON: [...]\nCHANGES: what\n\nor\nSTATUS: retry\nISSUES:\n- what\n",
		true,
	),
	"report-open": pipelineGrammar("VERIFIED", "", false),
};

const LONGEST_FIELD = 16 * 1024;

const REPORT_WORDS = [
	..."VERDICT: approved|VERDICT: needs work|STATUS: done|STATUS: retry|CRITERIA:|FINDINGS:|EARLIER:|BUG: x|LEARNED: y|SUMMARY|## Summary".split(
		"|",
	),
	..."SUMMARY:|REASON:|ISSUES:|FEEDBACK:|DECISION: rejected|<promise>DONE</promise>|<promise>|```|> |- [k] plan: x".split("|"),
	..."**VERDICT:** approved|STORIES_JSON: [|ERROR: x|STATUS: done (|none|N/A|✅".split("|"),
	"PR_BODY: |\n",
];

const report = (name: string, grammar: ReportGrammar): Target => ({
	name,
	corpus: "report",
	// The last 256 KiB are read; a report of as many lines as characters takes longest.
	limitMs: 150,
	words: REPORT_WORDS,
	run: (text) => {
		const read = readReport(grammar, text, { word: "DONE" }, PROMPT);
		assert.ok([...signalsOf(grammar), "unreadable"].includes(read.signal), `signal ${read.signal}`);
		for (const [key, value] of Object.entries(read.fields)) assert.ok(Buffer.byteLength(value) <= LONGEST_FIELD, `${key} is too long`);
		assert.ok(read.findings.length <= 200);
		if (read.signal === "unreadable") assert.ok(read.problem !== null && read.problem !== "", "an unreadable report says why");
		for (const story of read.stories ?? []) assert.equal(storyIdProblem(story.id), null);
	},
});

/** A report by a tool call. */
const given: Target = {
	name: "given",
	readers: 5,
	limitMs: 100,
	words: ["signal", "summary", "fields", "VERDICT", "approved", "done", "retry", "STATUS", "FINDINGS"],
	run: (text) => {
		const value = jsonOf(text);
		if (typeof value !== "object" || value === null) return;
		const { signal, summary, fields } = value as Record<string, unknown>;
		const texts = fieldTexts(typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>) : {});
		for (const grammar of Object.values(GRAMMARS)) {
			const read = readGiven(grammar, {
				signal: typeof signal === "string" ? signal : null,
				summary: asJson(summary) ?? "",
				fields: texts,
			});
			if (read.ok) assert.ok([...signalsOf(grammar), "unreadable"].includes(read.report.signal));
			else assert.ok(read.problems.length > 0);
		}
	},
};

const stories: Target = {
	name: "stories-json",
	readers: 3,
	limitMs: 120,
	words: [
		'{"id":"A","title":"t","description":"d","acceptanceCriteria":["x"]}',
		"depends_on",
		"dependsOn",
		'"priority":1',
		"[",
		"]",
		"```json\n",
		'"acceptance_criteria"',
		'\\"',
	],
	run: (text) => {
		const read = readStories(text, "STORIES_JSON");
		const whole = readWholeList([text, text], "STORIES_JSON", 20);
		if (read.ok) {
			for (const story of read.value) assert.equal(storyIdProblem(story.id), null);
			const again = readStories(JSON.stringify(asWritten(read.value)), "STORIES_JSON");
			const ids = (list: typeof read.value): string[] => list.map((story) => story.id);
			assert.deepEqual(again.ok ? ids(again.value) : again.problem, ids(read.value), "what was read is read again");
		} else assert.ok(read.problem !== "");
		if (whole.ok) assert.ok(whole.value.length <= 20);
	},
};

const asWritten = (list: readonly { readonly id: string }[]): unknown =>
	list.map((story) => ({ ...story, acceptanceCriteria: (story as unknown as { criteria: unknown }).criteria }));

const findings: Target = {
	name: "findings",
	readers: 5,
	words: [
		"- [a] bug: src/a.ts:1 x\n",
		"[k] plan: ",
		"1. ",
		"- [ ] ",
		"✅ ",
		"none",
		"- a: resolved\n",
		"- [a] open\n",
		"src/a.ts:12",
		"a/",
		"(1) ",
		"**[a]** ",
	],
	run: (text) => {
		const now = readFindings(text);
		const before = readFindings(text.split("\n").toReversed().join("\n"));
		const earlier = readEarlier(text);
		assert.ok(now.length <= 200);
		const open = openAfter(before, now, earlier);
		for (const one of now) assert.ok(open.includes(one), "what this round found is open");
		assert.ok(repeated(before, now, earlier).length <= before.length + now.length);
		unansweredBy(before, now, earlier);
	},
};

const criteria: Target = {
	name: "criterion",
	// A megabyte holds hundreds of thousands of criteria, each of which becomes a name of its own.
	readers: 2,
	limitMs: 400,
	words: ["`npm test`", "`` ` ``", "`", " passes", " and ", "exits with code 0", "- a: true\n", "| a | yes |", "**a**: met", "_", "é"],
	run: (text) => {
		// No reader of stories gives an empty one.
		const read = readCriteria(text.split("\n").filter((line) => line.trim() !== ""));
		assert.equal(new Set(read.map(({ slug }) => slug)).size, read.length, "every criterion has a name of its own");
		for (const { slug } of read) assert.ok(slug.length > 0);
		for (const key of readAnswers(text).keys()) assert.equal(slugOf(key), key);
	},
};

const template: Target = {
	name: "template",
	words: ["{{", "}}", "{{request}}", "{{ notes }}", "{{}}", "{", "}", "$&", "{{__proto__}}", "{{constructor}}"],
	run: (text) => {
		for (const name of templateNames(text)) assert.ok(name.length <= 100);
		const rendered = renderTemplate(text, { request: "{{notes}}$&", notes: "N" });
		// Values are not expanded again.
		if (/\{\{ {0,9}request {0,9}\}\}/.test(text)) assert.ok(rendered.includes("{{notes}}$&"));
		assert.ok(!rendered.includes("function Object"));
	},
};

const failing: Target = {
	name: "failing-part",
	readers: 6,
	words: ["not ok 1 - x\n", "FAIL", "0 failed", "Error: ", "E   assert", "✖", "# fail 0\n", "panicked", "assert"],
	run: (text) => {
		for (const most of [100, 4000]) {
			const part = failingPart(text, most);
			assert.ok(part.length <= most + most || part.length <= 8000, "it is not much longer than it may be");
		}
		for (const bytes of [0, 7, 4096]) {
			assert.ok(Buffer.byteLength(headOf(text, bytes)) <= bytes);
			assert.ok(Buffer.byteLength(tailOf(text, bytes)) <= bytes);
			assert.ok(text.startsWith(headOf(text, bytes)) && text.endsWith(tailOf(text, bytes)));
			withoutMiddle(text, bytes, "");
		}
	},
};

const world = new World(dynamic(), { stories: ["A"] }).until("planning");
const scope = world.scope("A");
const step = scope.steps.find((one) => one.type === "planning");

const edits: Target = {
	name: "edits",
	words: [
		"operation",
		"add_after",
		"split",
		"skip",
		"reorder",
		"edit_description",
		"restart",
		"target_step_id",
		"new_steps",
		"replacement_steps",
		"step-005",
		"step-010",
		"coding",
		"final_review",
		"reason",
		"new_order",
	],
	run: (text) => {
		const request = readEdits(text);
		assert.ok(step !== undefined);
		const decision = decideEdits(request, scope, step, world.state.definition);
		if (!decision.ok)
			return assert.ok(decision.reasons.length > 0 && decision.reasons.every((one) => one.length < 2000), "a refusal says why, in short");
		assert.ok(isDeepStrictEqual(decideEdits(request, scope, step, world.state.definition), decision));
		for (const { order } of decision.edits) assert.ok(new Set(order).size === order.length && order.length <= 31);
	},
};

/** undefined: it is not JSON. */
export function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

export const reports: readonly Target[] = [
	...Object.entries(GRAMMARS).map(([name, grammar]) => report(name, grammar)),
	given,
	stories,
	findings,
	criteria,
	template,
	failing,
	edits,
];
