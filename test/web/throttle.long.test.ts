// How the page asks again, without a browser: the order of answers is the test's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../src/web/api/api-error.ts";
import { Throttle } from "../../src/web/api/throttle.ts";
import { until } from "../support/scratch.ts";

/** A screen that asks; every question waits until the test answers it. */
function asking() {
	const questions: PromiseWithResolvers<string>[] = [];
	const taken: string[] = [];
	const failures: unknown[] = [];
	const get = (): Promise<string> => {
		const question = Promise.withResolvers<string>();
		questions.push(question);
		return question.promise;
	};
	const start = (): Throttle<string> => {
		const throttle = new Throttle(
			get,
			(answer) => void taken.push(answer),
			(error) => failures.push(error),
		);
		throttle.ask();
		return throttle;
	};
	return { questions, taken, failures, start, asked: (count: number) => until(`question ${count}`, () => questions.length === count) };
}

test("X-24: what changes while an answer is under way is asked for once more, and the last answer stays", async () => {
	const { questions, taken, start, asked } = asking();
	const throttle = start();
	await asked(1);
	throttle.ask();
	throttle.ask();
	questions[0]?.resolve("old");
	await asked(2);
	questions[1]?.resolve("new");
	await until("both answers", () => taken.length === 2);
	throttle.end();
	assert.deepEqual(taken, ["old", "new"]);
});

test("X-24: an answer from before a new connection does not replace the one from after it, nor does its failure speak", async () => {
	const { questions, taken, failures, start, asked } = asking();
	const [first, second] = [start(), start()];
	await asked(2);
	first.end();
	second.end();
	const third = start();
	await asked(3);
	questions[2]?.resolve("new");
	await until("the new answer", () => taken.length === 1);
	questions[0]?.resolve("old");
	questions[1]?.reject(new ApiError(503, "unavailable", "the store is busy"));
	// The fourth question is later than both.
	third.ask();
	await asked(4);
	third.end();
	assert.deepEqual(taken, ["new"]);
	assert.deepEqual(failures, []);
});
