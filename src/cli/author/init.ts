// pawl init: a short conversation on a terminal, one command elsewhere. Writes nothing before the last answer.
import { Command } from "commander";
import { CHECKS, type ConfigChoices, choicesFrom, nextSteps, suggestedAgent } from "../../runs/init/choices.ts";
import { lookAround, type RepositoryFacts } from "../../runs/init/facts.ts";
import { type Context, EXIT } from "../context.ts";
import { canAsk } from "../run/ask.ts";
import { paint, wantsColor } from "../text/text.ts";
import { Left } from "./talk.ts";

export function command(c: Context): Command {
	return new Command("pawl init")
		.description("write a pawl.yml for this repository: its checks, its setup, the agent; asks on a terminal")
		.option("--yes", "ask nothing: use what pawl finds")
		.action(async ({ yes = false }: { yes?: boolean }) => {
			const facts = await lookAround(c);
			const asks = !yes && c.outIsTty && canAsk(c);
			try {
				const choices = asks ? await converse(c, facts) : choicesFrom(facts);
				const { writeConfig } = await import("../../runs/init/write.ts");
				const file = await writeConfig(facts, choices);
				c.out(`${asks ? "\n" : ""}${file} written\n`);
				if (!asks) for (const line of decidedLines(facts, choices)) c.out(`  ${line}\n`);
				const { bold } = paint(wantsColor(c.env, c.outIsTty));
				for (const { text, command } of nextSteps(facts)) c.out(`\n${text}\n  ${bold(command)}\n`);
			} catch (error) {
				if (!(error instanceof Left)) throw error;
				c.err("\nnothing was written\n");
				c.exit(EXIT.interrupted);
			}
		});
}

async function converse(c: Context, facts: RepositoryFacts): Promise<ConfigChoices> {
	const [{ talk }, { openTalk }] = await Promise.all([import("./talk.ts"), import("./terminal-talk.ts")]);
	return talk(facts, openTalk(c, facts.root));
}

/** What was decided without a question, and from what. */
function decidedLines(facts: RepositoryFacts, choices: ConfigChoices): string[] {
	const agent = suggestedAgent(facts);
	const why =
		facts.ownAgent !== null
			? "your own pawl.yml says so"
			: facts.agents.some(({ name }) => name === agent)
				? "it is installed here"
				: "the default; not installed here, see pawl doctor";
	return [
		`agent: ${agent} (${why})`,
		...CHECKS.map(
			(kind) => `${kind}: ${choices[kind] ?? `nothing found; set checks.${kind} in pawl.yml, so that pawl can check the work itself`}`,
		),
		`setup: ${choices.setup ?? "nothing found; if a fresh worktree needs one to pass its checks, set it"}`,
		...(fromOf(facts) === "" ? [] : [`found in ${fromOf(facts)}; the first run tries them before it starts an agent`]),
	];
}

const fromOf = ({ checksFrom, setupFrom }: RepositoryFacts): string => [checksFrom, setupFrom].filter((one) => one !== "").join(", ");
