// pawl todo, from outside: real folders, real git, what is printed and with which code it ends.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ok, quickScratch, scratch } from "./scratch.ts";

const issue = (id: string, { status = "Todo", depends = "", parent = "" } = {}) =>
	`---\ntitle: Add ${id}\nstatus: ${status}\nparent: ${parent}\nlabels: [feature]\ndepends-on: [${depends}]\n---\n\nhand-written-4711\n\n## Acceptance criteria\n\n- [${status === "Done" ? "x" : " "}] it adds\n\n## Sub-issues\n`;
const line = (id: string, status = "Todo") => `- [${id}](${id}.md): Add ${id}, ${status}\n`;
const FILES = {
	"TODO/README.md": `# TODO\n\n## Core\n\n${line("GAL-37", "Done")}${line("GAL-38")}${line("GAL-39")}\n## Later\n\n${line("GAL-40", "In Progress")}`,
	"TODO/GAL-37.md": issue("GAL-37", { status: "Done" }),
	"TODO/GAL-38.md": issue("GAL-38", { depends: "GAL-37" }),
	"TODO/GAL-39.md": issue("GAL-39", { depends: "GAL-38" }),
	"TODO/GAL-40.md": issue("GAL-40", { status: "In Progress" }),
};

describe("pawl todo", () => {
	it("X-32: list shows every issue and what it waits for; next what can run now, its id first", async () => {
		const r = scratch(FILES);
		const all = ok(await r.pawl("todo", "list")).stdout;
		assert.deepEqual(
			all.split("\n").map((one) => one.replace(/ {2,}/g, "|")),
			["GAL-37|Done|Add GAL-37", "GAL-38|Todo|Add GAL-38", "GAL-39|Todo|after GAL-38|Add GAL-39", "GAL-40|In Progress|Add GAL-40", ""],
		);
		assert.equal(ok(await r.pawl("todo", "list", "--status", "Done")).stdout, "GAL-37  Done  Add GAL-37\n");
		assert.match(ok(await r.pawl("todo", "next")).stdout, /^GAL-38 +Add GAL-38\n$/);
		const { next, runnable } = await r.json<{ next: string; runnable: { id: string; dependsOn: string[] }[] }>("todo", "next");
		assert.deepEqual([next, runnable.map((one) => one.id), runnable[0]?.dependsOn], ["GAL-38", ["GAL-38"], ["GAL-37"]]);
		const { issues } = await r.json<{ issues: { id: string; waitsFor: string[] }[] }>("todo", "list");
		assert.deepEqual(
			issues.map((one) => [one.id, one.waitsFor]),
			[
				["GAL-37", []],
				["GAL-38", []],
				["GAL-39", ["GAL-38"]],
				["GAL-40", []],
			],
		);
		r.write({ "TODO/GAL-38.md": issue("GAL-38", { depends: "GAL-99" }) });
		const none = ok(await r.pawl("todo", "next"), 1);
		assert.deepEqual([none.stdout, none.stderr], ["", "nothing can run now:\n  GAL-38 waits for GAL-99\n  GAL-39 waits for GAL-38\n"]);
		assert.equal(r.git("status", "--porcelain"), " M TODO/GAL-38.md", "looking changes nothing");
	});

	it("X-34: new files an issue from a template under its category, and the README and the parent list it", async () => {
		const r = quickScratch({
			...FILES,
			"TODO/templates/chore.md": "---\nlabels: [chore]\ncategory: Upkeep\n---\n\nDo {{title}} as {{id}}.\n\n## Done when\n\n{{criteria}}\n",
		});
		const made = ok(
			await r.pawl(
				"todo",
				"new",
				'Multiply: two "numbers"',
				"--category",
				"Core",
				"--criterion",
				"2 × 3 is 6",
				"--criterion",
				"0 × 3 is 0",
				"--depends-on",
				"GAL-38,GAL-39",
				"--label",
				"math",
			),
		).stdout;
		assert.equal(made, "GAL-41  TODO/GAL-41.md\n");
		const read = (name: string) => readFileSync(join(r.root, "TODO", name), "utf8");
		assert.match(
			read("GAL-41.md"),
			/^---\nid: GAL-41\ntitle: .*Multiply: two .*numbers.*\nstatus: Todo\ncategory: Core\nlabels: \[feature, math\]\ndepends-on: \[GAL-38, GAL-39\]\n---\n/,
		);
		assert.match(read("GAL-41.md"), /## Acceptance criteria\n\n- \[ \] 2 × 3 is 6\n- \[ \] 0 × 3 is 0\n\n## Sub-issues\n$/);
		assert.equal(
			read("README.md"),
			FILES["TODO/README.md"].replace(line("GAL-39"), `${line("GAL-39")}- [GAL-41](GAL-41.md): Multiply: two "numbers", Todo\n`),
		);
		const [first] = (await r.json<{ issues: { title: string }[] }>("todo", "list")).issues.slice(-1);
		assert.equal(first?.title, 'Multiply: two "numbers"');
		const chore = await r.json<{ id: string; labels: string[]; category: string }>("todo", "new", "Sweep", "--template", "chore");
		assert.deepEqual([chore.id, chore.labels, chore.category], ["GAL-42", ["chore"], "Upkeep"]);
		assert.match(read("GAL-42.md"), /Do Sweep as GAL-42\.\n\n## Done when\n\n- \[ \] Sweep\n/);
		assert.match(read("README.md"), /\n## Upkeep\n\n- \[GAL-42\]\(GAL-42\.md\): Sweep, Todo\n$/);
		ok(await r.pawl("todo", "new", "A part", "--parent", "GAL-40", "--template", "bug"));
		assert.match(read("GAL-40.md"), /## Sub-issues\n\n- \[GAL-43\]\(GAL-43\.md\): A part, Todo\n$/);
		assert.match(read("README.md"), /Add GAL-40, In Progress\n {2}- \[GAL-43\]/);
		ok(await r.pawl("todo", "check"));
	});

	it("X-34: new refuses what it cannot do, and writes nothing then", async () => {
		const r = scratch(FILES);
		for (const [args, why] of [
			[["x", "--template", "nope"], /no template nope; there are bug, feature, tech-debt/],
			[["x", "--template", "../x"], /not the name of a template/],
			[["x", "--parent", "GAL-99"], /no TODO\/GAL-99\.md/],
			[["x", "--depends-on", "GAL-99"], /no issue GAL-99 to depend on/],
			[["x", "--prefix", "a b"], /no prefix of ids/],
			[[" "], /needs a title/],
		] as const) {
			const refused = ok(await r.pawl("todo", "new", ...args), 2);
			assert.match(refused.stderr, why);
		}
		assert.equal(r.git("status", "--porcelain"), "");
	});

	it("X-34 O-19: the first issue makes the folder and its README", async () => {
		const r = quickScratch();
		assert.match(ok(await r.pawl("todo", "list"), 2).stderr, /no folder .*TODO; pawl todo new "TITLE" makes it/);
		assert.equal(ok(await r.pawl("todo", "new", "Begin")).stdout, "TODO-1  TODO/TODO-1.md\n");
		assert.deepEqual(readdirSync(join(r.root, "TODO")).sort(), ["README.md", "TODO-1.md"]);
		assert.equal(readFileSync(join(r.root, "TODO/README.md"), "utf8"), "# TODO\n\n## Other\n\n- [TODO-1](TODO-1.md): Begin, Todo\n");
		assert.equal(ok(await r.pawl("todo", "new", "Go on", "--prefix", "PAW")).stdout, "PAW-1  TODO/PAW-1.md\n");
	});

	it("O-24: two pawl processes at once get two numbers", async () => {
		const r = scratch(FILES);
		const made = await Promise.all(["a", "b", "c", "d"].map((title) => r.pawl("todo", "new", title)));
		assert.deepEqual(made.map((one) => ok(one).stdout.split(" ")[0]).sort(), ["GAL-41", "GAL-42", "GAL-43", "GAL-44"]);
		ok(await r.pawl("todo", "check"));
	});

	it("X-32 O-19 O-20 O-21: check says line by line what does not agree", async () => {
		const r = quickScratch(FILES);
		assert.match(ok(await r.pawl("todo", "check")).stdout, /agree/);
		r.write({
			"TODO/GAL-37.md": issue("GAL-37", { status: "Done" }).replace("[x]", "[ ]"),
			"TODO/GAL-38.md": issue("GAL-38", { depends: "GAL-39, GAL-99, x", parent: "GAL-40" }),
			"TODO/GAL-40.md": issue("GAL-40", { status: "Doing" }),
			"TODO/GAL-41.md": "no front matter\n",
			"TODO/GAL-42.md": issue("GAL-42"),
			"TODO/README.md": `# TODO\n\n${line("GAL-37", "Todo")}${line("GAL-38")}${line("GAL-39")}${line("GAL-40")}${line("GAL-90")}- a note of UTF-8\n`,
		});
		const found = ok(await r.pawl("todo", "check"), 1).stdout;
		assert.deepEqual(found.trimEnd().split("\n"), [
			"TODO/GAL-41.md:1: it has no front matter: it must begin with a line `---`, fields, and a line `---`",
			"TODO/GAL-37.md:3: it is Done with 1 of its criteria open",
			"TODO/GAL-38.md:6: it depends on GAL-99, which is not there",
			'TODO/GAL-38.md:6: it depends on "x", which is not an issue id',
			"TODO/GAL-40.md:3: its status is none of Todo, In Progress, Done",
			"TODO/GAL-38.md:6: it waits for itself: GAL-38 → GAL-39 → GAL-38",
			"TODO/GAL-40.md:15: its sub-issue GAL-38 is not in the list",
			"TODO/README.md:1: it has no line for GAL-42",
			"TODO/README.md:7: GAL-90 is not there",
			"TODO/README.md:3: it says Todo for GAL-37, which is Done",
		]);
		const json = JSON.parse(ok(await r.pawl("todo", "check", "--json"), 1).stdout) as {
			ok: boolean;
			problems: { file: string; line: number }[];
		};
		assert.deepEqual([json.ok, json.problems.length, json.problems[0]?.file], [false, 10, "TODO/GAL-41.md"]);
	});
});
