// node scripts/recorded-pawl.child.ts CHECKOUT FILE ARGS…: pawl as that checkout has it, with one thing added: every prompt that an agent
// gets is also a line of JSON in FILE. Any version whose wiring makes agents with `makeAgent` can be recorded.
import { appendFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AgentRequest } from "../src/agent.ts";
import type { Services } from "../src/runs/context.ts";
import type { RecordedPrompt } from "./prompts.ts";

const [checkout = "", file = "", ...args] = process.argv.slice(2);
const from = (path: string): Promise<unknown> => import(join(resolve(checkout), "src", path));
const { main } = (await from("cli/program.ts")) as { main: (argv: readonly string[], services: Services) => Promise<number> };
const { services } = (await from("wiring.ts")) as { services: Services };

process.exitCode = await main(args, {
	...services,
	makeAgent: async (...given) => {
		const made = await services.makeAgent(...given);
		if ("problem" in made) return made;
		const run = (request: AgentRequest, signal: AbortSignal) => {
			const { story, step, type, role, attempt } = request.who;
			const line: RecordedPrompt = { story, step, type, role, attempt, cwd: request.cwd, prompt: request.prompt };
			appendFileSync(file, `${JSON.stringify(line)}\n`);
			return made.agent.run(request, signal);
		};
		return { ...made, agent: { ...made.agent, run } };
	},
});
