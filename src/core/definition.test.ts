// Which route a signal takes, and which signals are failures.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAILURES, isFailure, isOfTheAccount, type Route, routeOf } from "./definition.ts";

const [done, auth, credit]: readonly Route[] = [{ action: "next" }, { action: "fail", target: "run" }, { action: "abort" }];

test("a signal takes its own route; without one, what is unclear asks a person, and missing credit is like a missing login", () => {
	assert.equal(routeOf({ routes: { done: done! } }, "done"), done);
	assert.equal(routeOf({ routes: {} }, "done"), undefined);
	assert.deepEqual(routeOf({ routes: {} }, "unclear"), { action: "wait", target: "person" });
	assert.equal(routeOf({ routes: { unclear: done! } }, "unclear"), done);
	assert.equal(routeOf({ routes: { auth: auth! } }, "out_of_credit"), auth);
	assert.equal(routeOf({ routes: { auth: auth!, out_of_credit: credit! } }, "out_of_credit"), credit);
	assert.equal(routeOf({ routes: { auth: auth! } }, "timeout"), undefined);
	assert.equal(routeOf({ routes: {} }, "toString"), undefined, "a name that every object has is no route");
});

test("what an attempt can fail by, and which of it is about the account", () => {
	// Journals and workflows have these names.
	const names =
		"agent_error timeout stalled rate_limited overloaded auth out_of_credit permission context_too_long boundary_violation unreadable lost";
	for (const signal of [...names.split(" "), "workspace_error"]) assert.equal(isFailure(signal), true, signal);
	for (const signal of ["done", "", "checks_failed", "promise"]) assert.equal(isFailure(signal), false, signal);
	assert.deepEqual(FAILURES.filter(isOfTheAccount), ["auth", "out_of_credit"]);
});
