import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { WorkspaceError } from "../../workspace.ts";
import { git } from "../git/git.ts";
import { readConfig, render } from "../git/settings.ts";
import { scratchRepository } from "../tree/scratch-repository.suite.ts";
import { NotedSettings } from "./noted-settings.ts";

/** A repository with one file, a home of its own, and a filter that leaves a mark where it ran. */
function place(t: TestContext) {
	const { root, git: person } = scratchRepository(t);
	const home = mkdtempSync(join(tmpdir(), "pawl-home-"));
	const [before, xdg] = [process.env["HOME"], process.env["XDG_CONFIG_HOME"]];
	process.env["HOME"] = home;
	delete process.env["XDG_CONFIG_HOME"];
	const settings = new NotedSettings({ top: root, root, commonDir: join(root, ".git") });
	t.after(() => {
		settings.drop();
		process.env["HOME"] = before;
		if (xdg !== undefined) process.env["XDG_CONFIG_HOME"] = xdg;
		rmSync(home, { recursive: true, force: true });
	});
	const mark = (name: string): string => join(home, `ran-${name}`);
	const trap = (name: string): string => `sh -c 'touch ${mark(name)}; cat'`;
	return {
		root,
		home,
		settings,
		person,
		trap,
		/** Which of the programs ran while git took in a changed file. */
		ran: async (): Promise<string[]> => {
			for (const name of readdirSync(home)) if (name.startsWith("ran-")) rmSync(join(home, name));
			writeFileSync(join(root, "a.txt"), `${Math.random()}\n`);
			await git(root, ["add", "a.txt"]);
			await git(root, ["checkout", "-q", "--", "a.txt"]);
			return readdirSync(home).flatMap((name) => (name.startsWith("ran-") ? [name.slice(4)] : []));
		},
	};
}

test("G-26 a filter of the user's runs; one that was set up since, anywhere in the user's settings, does not", async (t) => {
	const p = place(t);
	p.person(["config", "--global", "filter.mine.clean", p.trap("mine")]);
	mkdirSync(join(p.home, ".config/git"), { recursive: true });
	writeFileSync(join(p.home, ".config/git/attributes"), "*.txt filter=mine\n");
	await p.settings.note();
	assert.deepEqual(await p.ran(), ["mine"]);
	p.person(["config", "--global", "filter.mine.clean", p.trap("changed")]);
	p.person(["config", "--global", "filter.theirs.clean", p.trap("theirs")]);
	writeFileSync(join(p.home, ".config/git/attributes"), "*.txt filter=theirs\n");
	assert.deepEqual(await p.ran(), ["mine"], "as it was");
	const attributes = join(p.home, "attributes");
	writeFileSync(attributes, "*.txt filter=theirs\n");
	p.person(["config", "--global", "core.attributesFile", attributes]);
	assert.deepEqual(await p.ran(), ["mine"]);
	p.settings.drop();
	assert.deepEqual(await p.ran(), ["theirs"], "the trap works");
});

test("G-26 git runs only what the recorded repository configuration names, whatever a filter is called", async (t) => {
	const p = place(t);
	writeFileSync(join(p.root, ".gitattributes"), "*.txt filter=odd=name\n");
	await p.settings.note();
	assert.deepEqual(await p.ran(), []);
	appendFileSync(join(p.root, ".git/config"), `[filter "odd=name"]\n\tclean = "${p.trap("odd")}"\n\trequired = true\n`);
	assert.deepEqual(await p.ran(), []);
	p.settings.drop();
	assert.deepEqual(await p.ran(), ["odd"], "the trap works");
	await p.settings.note();
	assert.deepEqual(await p.ran(), ["odd"], "noted anew, it is the user's");
});

test("G-26 a copy of the settings that an agent changes or removes is put right before the next call", async (t) => {
	const p = place(t);
	writeFileSync(join(p.root, ".gitattributes"), "*.txt filter=own\n");
	const name = await p.settings.note();
	const config = join(p.root, ".git/pawl/settings", name, "config");
	assert.deepEqual(await p.ran(), []);
	appendFileSync(config, `[filter "own"]\n\tclean = "${p.trap("own")}"\n`);
	assert.deepEqual(await p.ran(), []);
	rmSync(join(p.root, ".git/pawl/settings"), { recursive: true });
	assert.deepEqual(await p.ran(), []);
	assert.equal(existsSync(config), true);
});

test("G-26 after a resume the recorded settings count, pawl says how today's differ, and rejects a changed copy", async (t) => {
	const p = place(t);
	p.person(["config", "--global", "user.name", "Somebody"]);
	const name = await p.settings.note();
	const again = new NotedSettings({ top: p.root, root: p.root, commonDir: join(p.root, ".git") });
	t.after(() => again.drop());
	assert.deepEqual(await again.use(name, true), { differ: [] });
	p.person(["config", "--global", "filter.own.clean", "secret-4711"]);
	p.person(["config", "--global", "--unset", "user.name"]);
	p.person(["config", "diff.own.textconv", "x"]);
	assert.deepEqual(await again.use(name, true), {
		differ: ["filter.own.clean is new", "user.name is gone", "diff.own.textconv is new (of the repository)"],
	});
	assert.equal(await git(p.root, ["config", "user.name"]).catch(() => ""), p.person(["config", "--local", "user.name"]));
	const file = join(p.root, ".git/pawl/settings", name, "settings.json");
	writeFileSync(file, readFileSync(file, "utf8").replace("Somebody", "Somebody else"));
	assert.match(JSON.stringify(await again.use(name, true)), /problem.*gone or was changed/);
});

test("G-26 an include that came into the repository's configuration stops the calls, since nothing can overrule it", async (t) => {
	const p = place(t);
	const name = await p.settings.note();
	await git(p.root, ["status"]);
	p.person(["config", "--local", "includeIf.onbranch:main.path", join(p.home, "later")]);
	await assert.rejects(
		git(p.root, ["status"]),
		(error) => error instanceof WorkspaceError && /includeif\.onbranch:main\.path/.test(error.message),
	);
	const again = new NotedSettings({ top: p.root, root: p.root, commonDir: join(p.root, ".git") });
	t.after(() => again.drop());
	assert.match(JSON.stringify(await again.use(name, true)), /leads git to other files/);
});

test("settings are written so that git reads the same again", async (t) => {
	const p = place(t);
	const odd = ['a "quoted" \\ value', "two\nlines\tand a tab", " spaces ", "# no comment; really", ""];
	for (const [i, value] of odd.entries()) p.person(["config", "--global", `url.https://a.b/c"d\\${i}.insteadOf`, value]);
	appendFileSync(join(p.home, ".gitconfig"), "[core]\n\tbare\n[alias]\n\tx = y\n\tx = z\n");
	const read = async () => (await readConfig(p.root)).shared.slice(-odd.length - 3);
	const before = await read();
	assert.deepEqual(before.at(-3), ["core.bare", null]);
	writeFileSync(join(p.home, ".gitconfig"), render(before));
	assert.deepEqual(await read(), before);
});
