// Roles of gated that do what they may not: pawl undoes it, reports it, and never commits it.
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { say, write } from "../support/fake-agent.ts";
import {
	assertGivenUp,
	assertLanded,
	CODE,
	complete,
	done,
	ISSUE,
	issueSite,
	on,
	ready,
	testText,
	turn,
	verdict,
} from "../support/issue-site.ts";
import { quickIssueSite } from "../support/quick-issue-site.ts";
import { exists, git, list, put, read, scratchFolder } from "../support/scratch.ts";

const evil = "echo '// evil' >> src/sum.mjs; echo x > evil.txt";
const commits = "git add -A; git -c user.name=e -c user.email=e@example.invalid commit -qm evil";

test("O-03 O-07 reviewers are read-only: a review that writes or commits is undone and asked for again; a second time gives up", async () => {
	const once = issueSite([
		turn("check", 1, evil, `/usr/bin/env PATH=/usr/bin:/bin sh -c '${commits}'`, verdict("ACCEPTABLE")),
		turn("simplify", 2, evil, verdict("ACCEPTABLE")),
	]);
	const ended = await once.runs(0);
	assert.match(ended.all, /review_plan may not write in the worktree, but changed .*evil\.txt/);
	assertLanded(once);
	assert.ok(!exists(once.tree, "evil.txt"));
	assert.ok(once.commits().every((c) => !c.subject.includes("evil") && !c.files.includes("evil.txt")));
	assert.ok(list(once.shared(), "failures").length > 0, "what was undone is kept as a diff");
	const ever = quickIssueSite([{ when: { role: "check" }, do: [evil, verdict("ACCEPTABLE")] }]);
	assertGivenUp(ever, await ever.run());
	assert.ok(!exists(ever.tree, "evil.txt"));
	assert.doesNotMatch(read(ever.tree, "src/sum.mjs"), /evil/);
});

test("O-03 a reviewer's advice alone: what simplify writes is gone, though nobody waits for its verdict", async () => {
	const site = quickIssueSite([turn("simplify", 1, evil, verdict("ACCEPTABLE")), turn("simplify", 2, evil, verdict("ACCEPTABLE"))]);
	await site.runs(0);
	assertLanded(site);
	assert.ok(!exists(site.tree, "evil.txt") && !/evil/.test(read(site.tree, "src/sum.mjs")));
});

test("O-03 O-07 plan and specs are out of git's sight and still nobody's but the orchestrator's", async () => {
	const dir = `.workflow/run-${ISSUE}`;
	const site = quickIssueSite([
		turn("check", 1, `echo 'by check' >> ${dir}/plan.md; rm -f ${dir}/run.json; echo x > ${dir}/note.md`, verdict("ACCEPTABLE")),
		on(
			"implement",
			1,
			`echo 'src/other.mjs' > /dev/null; sed -i 's#src/sum.mjs#src/**#' ${dir}/task-1.md`,
			write("src/sum.mjs", CODE),
			"echo '// evil' >> src/other.mjs",
			complete(),
		),
	]);
	const ended = await site.runs(0);
	// The other reviewer may end while check is still writing: then each of them is told about a part.
	const told = [...ended.all.matchAll(/check or simplify may not write in .*run-GAL-39, but changed ([\w., ]+\w)/g)];
	const changed = new Set(told.flatMap(([, names = ""]) => names.split(", ")));
	assert.deepEqual([...changed].sort(), ["note.md", "plan.md", "run.json"]);
	assert.doesNotMatch(read(site.dir, "plan.md"), /by check/);
	assert.ok(!exists(site.dir, "note.md"));
	assert.doesNotMatch(read(site.dir, "task-1.md"), /src\/\*\*/);
	assertLanded(site);
	assert.ok(!site.commits().some((c) => c.files.includes("src/other.mjs")), "a spec that make widened for itself bounds nothing");
});

test("O-04 test changes tests only; production code that it touches is put back", async () => {
	const site = quickIssueSite([on("tests", 1, write("test/sum.test.mjs", testText()), "echo '// evil' >> src/other.mjs", ready())]);
	const ended = await site.runs(0);
	assert.match(ended.all, /tests may only write what the rule test-files allows, but changed src\/other\.mjs/);
	assert.equal(site.order(), "OCOTTMC");
	assertLanded(site);
	assert.deepEqual(site.commits()[0]?.files, ["src/sum.mjs", "test/sum.test.mjs"]);
});

test("O-05 O-07 make changes only the files of its spec, and does not commit", async () => {
	const files = quickIssueSite([
		on(
			"implement",
			1,
			write("src/sum.mjs", CODE),
			"echo x > src/evil.mjs; echo '// evil' >> test/sum.test.mjs; echo x >> TODO/README.md",
			complete(),
		),
	]);
	const ended = await files.runs(0);
	assert.match(
		ended.all,
		/implement may only write what the rule task-files allows, but changed TODO\/README\.md, src\/evil\.mjs, test\/sum\.test\.mjs/,
	);
	assertLanded(files);
	assert.ok(!exists(files.tree, "src/evil.mjs"));
	const around = issueSite([
		on("implement", 1, write("src/sum.mjs", CODE), `/usr/bin/env PATH=/usr/bin:/bin sh -c '${commits}'`, complete()),
	]);
	assert.match((await around.runs(0)).all, /implement may not commit/);
	assertLanded(around);
	assert.equal(around.order(), "OCOTMMC");
});

test("O-02 O-06 O-07 the orchestrator writes no code, pm nothing but its own issue (T-56)", async () => {
	const plan = quickIssueSite([
		on("plan", 1, `mkdir -p .workflow/run-${ISSUE}; echo '# Plan' > .workflow/run-${ISSUE}/plan.md`, write("src/sum.mjs", CODE), done),
	]);
	assert.match((await plan.runs(0)).all, /plan may only write \.workflow\/\*\*, but changed src\/sum\.mjs/);
	assert.equal(plan.order(), "OOCOTMC");
	const pm = quickIssueSite([
		on("context", 1, "echo x > src/pm.mjs; echo >> TODO/README.md; echo >> TODO/GAL-39.md", say("STATUS: FOUND")),
	]);
	assert.match(
		(await pm.runs(0)).all,
		/context may only write what the rule issue-file allows, but changed TODO\/README\.md, src\/pm\.mjs/,
	);
	assertLanded(pm);
	assert.ok(!exists(pm.tree, "src/pm.mjs"));
});

test("O-09 O-05 G-09 no forge and no remote can be reached: gh and git push are refused to every role, and nothing of pawl's own calls them", async () => {
	const shims = scratchFolder("shims");
	const origin = join(scratchFolder("origin"), "o.git");
	put(shims, { gh: '#!/bin/sh\necho called >> "$(dirname "$0")/called"\n' });
	chmodSync(join(shims, "gh"), 0o755);
	const tries = (role: string) =>
		`gh pr create > "$home/${role}.gh" 2>&1; echo $? >> "$home/${role}.gh"; git push origin HEAD > "$home/${role}.push" 2>&1; echo $? >> "$home/${role}.push"; git commit --allow-empty -m x > "$home/${role}.commit" 2>&1; echo $? >> "$home/${role}.commit"; git log -1 --format=%s > "$home/${role}.log"; git -C . ls-remote > "$home/${role}.remote" 2>&1; echo $? >> "$home/${role}.remote"`;
	const site = issueSite(
		[
			on("context", 1, tries("pm"), say("STATUS: FOUND")),
			turn("check", 1, tries("check"), verdict("ACCEPTABLE")),
			on("tests", 1, tries("test"), write("test/sum.test.mjs", testText()), ready()),
			on(
				"implement",
				1,
				tries("make"),
				`"$(command -v -p git)" push "file://${origin}" HEAD > "$home/around" 2>&1; echo $? >> "$home/around"`,
				write("src/sum.mjs", CODE),
				complete(),
			),
		],
		{ env: { PATH: `${shims}:${process.env["PATH"]}` } },
	);
	git(site.repo, "init", "-q", "--bare", origin);
	git(site.repo, "remote", "add", "origin", origin);
	await site.runs(0);
	assertLanded(site);
	assert.ok(!exists(shims, "called"));
	assert.equal(git(origin, "for-each-ref"), "");
	for (const role of ["pm", "check", "test", "make"]) {
		assert.match(read(site.agent.home, `${role}.gh`), /gh: refused: this role may not use the network\n126/);
		assert.match(read(site.agent.home, `${role}.push`), /git push: refused/);
		assert.match(read(site.agent.home, `${role}.remote`), /refused[\s\S]*126/);
		assert.match(read(site.agent.home, `${role}.commit`), /git commit: refused: this role may not change the repository/);
		assert.notEqual(read(site.agent.home, `${role}.log`).trim(), "", "looking is fine");
	}
	assert.match(read(site.agent.home, "around"), /not allowed[\s\S]*128/, "git itself refuses what goes around");
});
