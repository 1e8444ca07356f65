import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findWorkflow, listWorkflows, type WorkflowFolder, workflowFolders } from "./find.ts";

const temp = mkdtempSync(join(tmpdir(), "pawl-find-"));
after(() => rmSync(temp, { recursive: true, force: true }));

const folders: WorkflowFolder[] = (["repository", "user", "built-in"] as const).map((origin) => ({ origin, folder: join(temp, origin) }));
function put(...path: string[]): string {
	const dir = join(temp, ...path);
	mkdirSync(dir, { recursive: true });
	writeFileSync(join(dir, "workflow.yml"), "");
	return join(dir, "workflow.yml");
}
const file = (wanted: string, cwd = temp): string => {
	const result = findWorkflow(wanted, cwd, folders);
	return result.ok ? `${result.found.origin} ${result.found.file}` : result.message;
};

test("the nearest of a name wins", () => {
	const builtIn = put("built-in", "one");
	assert.equal(file("one"), `built-in ${builtIn}`);
	const user = put("user", "one");
	assert.equal(file("one"), `user ${user}`);
	const repository = put("repository", "one");
	assert.equal(file("one"), `repository ${repository}`);
});

test("a path leads to the file or to its folder", () => {
	const mine = put("here", "mine");
	assert.equal(file("./here/mine"), `path ${mine}`);
	assert.equal(file("mine/workflow.yml", join(temp, "here")), `path ${mine}`);
	assert.equal(file("mine", join(temp, "here")), `path ${mine}`);
	assert.equal(file(mine), `path ${mine}`);
});

test("an unknown name says where pawl looked, and what was probably meant", () => {
	put("built-in", "dynamic");
	const message = file("dynamc");
	assert.match(message, /no workflow `dynamc`; did you mean `dynamic`\?/);
	for (const { folder } of folders) assert.ok(message.includes(join(folder, "dynamc")));
	assert.match(file("./no/such"), /no workflow at \.\/no\/such/);
	assert.match(file("Not A Name"), /cannot be the name/);
	assert.match(file(""), /cannot be the name/);
	assert.match(file(".."), /cannot be the name/);
});

test("the list says where each is from and which one hides it", () => {
	put("repository", "two");
	put("built-in", "two");
	mkdirSync(join(temp, "user", "empty"), { recursive: true });
	const two = listWorkflows(folders).filter((w) => w.name === "two" || w.name === "empty");
	assert.deepEqual(
		two.map(({ origin, shadowedBy }) => [origin, shadowedBy]),
		[
			["repository", null],
			["built-in", "repository"],
		],
	);
});

test("places: the repository, the user's configuration, the package", () => {
	const folders = (root: string | null, xdg?: string) =>
		workflowFolders({ root, env: { XDG_CONFIG_HOME: xdg }, home: "/home/me" }).map((p) => p.folder);
	assert.deepEqual(folders("/repo").slice(0, 2), ["/repo/.pawl/workflows", "/home/me/.config/pawl/workflows"]);
	assert.equal(folders(null, "/xdg")[0], "/xdg/pawl/workflows");
	assert.equal(folders(null, "relative")[0], "/home/me/.config/pawl/workflows");
	assert.equal(
		findWorkflow("dynamic", "/", workflowFolders({ root: null, env: {}, home: "/nowhere" })).ok,
		true,
		"the built-in ones are found",
	);
});
