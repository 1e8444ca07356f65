// A step that asks a person in words (`wait answer`): it runs again and reads question and answer.
import type { Route } from "../definition.ts";
import { linear } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";
import { type Scenarios, untold } from "./tell.suite.ts";

const ann = { user: "ann", how: "cli" } as const;
const questions = { signal: "bad", error: "- a or b?\n- c?" };
const asksFor = (max: number): Route => ({
	action: "wait",
	target: "answer",
	max,
	per: "run",
	exhausted: { action: "fail", target: "run" },
});
const asks = (bad: Route, yes = false) => {
	const w = new World(linear({ work: {}, look: { on: { bad } }, last: {} }), { options: { yes } }).until("look");
	return yes ? w : untold(w);
};
const wondering = (max = 2) => {
	const w = asks(asksFor(max));
	w.end("look", questions);
	return untold(w);
};
const decide = (w: World, verdict: "answer" | "approve" | "reject" | "retry", reason = "", more: object = {}) => {
	w.feed({ type: "decide", scope: null, step: null, verdict, reason, ...more });
	return w;
};

export const ANSWERS: Scenarios = {
	"answer what a step asks: it runs again with the words": () => decide(wondering(), "answer", "the second one", { by: ann, id: "d3" }),
	"let a step that asks decide by itself": () => decide(wondering(), "approve", "--yes"),
	"reject what a step asks for in words": () => decide(wondering(), "reject", "never mind"),
	"try a step again that asks": () => decide(wondering(), "retry"),
	"words for a step that asks for a yes or a no change nothing": () => {
		const w = asks({ action: "wait", target: "person" });
		w.end("look", questions);
		return decide(untold(w), "answer", "the second one", { by: ann, id: "d3" });
	},
	"an answer allows no more questions": () => {
		const w = decide(wondering(1), "answer", "the second one");
		w.end("look", { signal: "bad", error: "and the third?" });
		return w;
	},
	"a step that asks where the person said yes to all": () => {
		const w = asks(asksFor(2), true);
		w.end("look", questions);
		return w;
	},
};
