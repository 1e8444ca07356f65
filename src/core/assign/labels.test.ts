// Which worker may work on which run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isTooNew, labelProblem, PROTOCOL, protocolLabels, requiredLabels, whyUnserved } from "./labels.ts";

const worker = (labels: readonly string[], more: { gone?: boolean; draining?: boolean } = {}) => ({
	...{ labels: [...labels, ...protocolLabels()], gone: false, draining: false },
	...more,
});

test("a run that requires nothing is open to workers of every version; one with labels to those that know labels", () => {
	assert.deepEqual(requiredLabels([], []), []);
	assert.deepEqual(requiredLabels(["linux", "gpu"], ["gpu"]), ["gpu", "linux", "pawl:2"]);
});

test("a run that needs a later protocol than this one is none of our business", () => {
	assert.equal(isTooNew([]), false);
	assert.equal(isTooNew(["gpu", `pawl:${PROTOCOL}`]), false);
	assert.equal(isTooNew(["gpu", `pawl:${PROTOCOL + 1}`]), true);
});

test("labels are words, with colons between them", () => {
	for (const good of ["gpu", "agent:claude", "os-12_b"]) assert.equal(labelProblem(good), null);
	for (const bad of ["", "a b", "a.b", ":a", "a:", "a/b", "ä", "a".repeat(61)]) assert.match(labelProblem(bad) ?? "", /is not a label/);
	for (const own of ["pawl:2", "pawl", "pawl:x"]) assert.match(labelProblem(own) ?? "", /pawl's own/);
});

test("I17 who waits for a worker that does not come is told what is missing", () => {
	const gpu = requiredLabels(["gpu", "linux"]);
	assert.match(whyUnserved([], []) ?? "", /no worker that takes anything new; start one with: pawl worker --repo URL$/);
	assert.match(whyUnserved(gpu, [worker(["gpu", "linux"], { gone: true })]) ?? "", /no worker .*--labels gpu,linux$/);
	assert.match(whyUnserved(gpu, [worker(["gpu", "linux"], { draining: true })]) ?? "", /no worker that takes anything new/);
	assert.match(whyUnserved(gpu, [worker(["linux"])]) ?? "", /no worker has the label gpu, which the run requires/);
	assert.match(whyUnserved(gpu, [worker(["linux"]), worker(["gpu"])]) ?? "", /no worker has all of the labels gpu, linux/);
	assert.match(whyUnserved(["gpu", "pawl:99"], [worker(["gpu"])]) ?? "", /older than the run needs: update one/);
	assert.equal(whyUnserved(gpu, [worker([]), worker(["gpu", "linux", "more"])]), null);
	assert.equal(whyUnserved([], [worker([])]), null);
});
