import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunState } from "../../core/model.ts";
import { titleOf } from "./pull-request-text.ts";

test("T-27 the title of a pull request has no markup", () => {
	const title = (text: string) => titleOf({ title: "the task", root: { fields: { pr_title: text } } } as unknown as RunState);
	assert.equal(title("**`Add` a status field**"), "Add a status field");
	assert.equal(title("## Add snake_case\n"), "Add snake_case");
	assert.equal(title('"Add it"'), "Add it");
	assert.equal(title(" "), "the task");
});
