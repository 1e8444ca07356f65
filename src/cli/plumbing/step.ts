// pawl step claim | peek | complete | fail | stories: for agents that pawl did not start.
import { Command } from "commander";
import { claimStep, completeStep, failStep, type HandedIn, peekStep } from "../../runs/pull/claim.ts";
import { Refusal } from "../../runs/refusal.ts";
import { type Context, EXIT } from "../context.ts";
import { duration } from "../flags.ts";

const MOST_OUTPUT = 16 * 1024 * 1024;

export function command(c: Context): Command {
	const step = new Command("pawl step").description("claim steps of a run and hand in their results");
	step
		.command("claim")
		.description("claim the next step that waits for an agent; prints one JSON object")
		.argument("<agent>", "the agent's id in the workflow")
		.option("--run <run>", "only steps of this run")
		.option("--lease <duration>", "how long the claim lasts (default: the step's time limit)", duration)
		.action(async (agent: string, flags: { run?: string; lease?: number }) => {
			const claimed = await claimStep(c, { agent, run: flags.run, leaseMs: flags.lease ?? null });
			c.out(`${JSON.stringify(claimed === null ? { found: false } : { found: true, ...claimed, answer: answers(claimed.claim) })}\n`);
		});
	step
		.command("peek")
		.description("is there a step for an agent? exit 0 if so, 1 if not; takes nothing and prints nothing")
		.argument("<agent>", "the agent's id in the workflow")
		.option("--run <run>", "only steps of this run")
		.action(async (agent: string, flags: { run?: string }) => {
			if (!(await peekStep(c, { agent, run: flags.run }))) c.exit(EXIT.failed);
		});
	step
		.command("complete")
		.description("hand in a result: the agent's whole answer on stdin")
		.argument("<claim>", "the claim that `pawl step claim` printed")
		.action(async (name: string) => print(c, await completeStep(c, name, () => readAll(c))));
	step
		.command("fail")
		.description("hand a step back as failed")
		.argument("<claim>", "the claim that `pawl step claim` printed")
		.argument("<reason...>", "why")
		.action(async (name: string, reason: string[]) => print(c, await failStep(c, name, reason.join(" "))));
	return step;
}

/** How to hand in the result, word for word. */
const answers = (claim: string): Readonly<Record<string, string>> => ({
	done: `write your whole answer to the standard input of: pawl step complete ${claim}`,
	cannot: `pawl step fail ${claim} "what is in the way"`,
});

function print(c: Context, { failure, question, ...brought }: HandedIn): void {
	c.out(`${JSON.stringify(brought)}\n`);
	if (!brought.changed) c.warn("this claim was answered already: what came now is too late, and changes nothing");
	if (question !== null) c.warn(`a person is asked before it counts: ${question}`);
	if (failure === null) return;
	c.warn(`it counts as failed: ${failure}`);
	c.exit(EXIT.failed);
}

async function readAll(c: Context): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of c.input()) {
		chunks.push(chunk as Buffer);
		size += (chunk as Buffer).length;
		if (size > MOST_OUTPUT) throw new Refusal("invalid", `the answer is longer than ${MOST_OUTPUT} bytes`);
	}
	return Buffer.concat(chunks).toString("utf8");
}
