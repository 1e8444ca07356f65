// pawl init: a short conversation on a terminal, one command elsewhere. Writes nothing before the last answer.
import { Command } from "commander";
import { CHECKS, type Draft, draftOf, nextSteps, suggestedAgent } from "../../runs/init/draft.ts";
import { type Found, lookAround } from "../../runs/init/found.ts";
import { type Context, EXIT } from "../context.ts";
import { canAsk } from "../run/ask.ts";
import { paint, wantsColor } from "../text/text.ts";
import { Left } from "./talk.ts";

export function command(c: Context): Command {
	return new Command("pawl init")
		.description("write a pawl.yml for this repository: its checks, its setup, the agent; asks on a terminal")
		.option("--yes", "ask nothing: take what was found")
		.action(async ({ yes = false }: { yes?: boolean }) => {
			const found = await lookAround(c);
			const asks = !yes && c.outIsTty && canAsk(c);
			try {
				const draft = asks ? await converse(c, found) : draftOf(found);
				const { writeConfig } = await import("../../runs/init/write.ts");
				const file = await writeConfig(found, draft);
				c.out(`${asks ? "\n" : ""}${file} written\n`);
				if (!asks) for (const line of decidedLines(found, draft)) c.out(`  ${line}\n`);
				const { bold } = paint(wantsColor(c.env, c.outIsTty));
				for (const { text, command } of nextSteps(found)) c.out(`\n${text}\n  ${bold(command)}\n`);
			} catch (error) {
				if (!(error instanceof Left)) throw error;
				c.err("\nnothing was written\n");
				c.exit(EXIT.interrupted);
			}
		});
}

async function converse(c: Context, found: Found): Promise<Draft> {
	const [{ talk }, { openTalk }] = await Promise.all([import("./talk.ts"), import("./terminal-talk.ts")]);
	return talk(found, openTalk(c, found.root));
}

/** What was decided without a question, and from what. */
function decidedLines(found: Found, draft: Draft): string[] {
	const agent = suggestedAgent(found);
	const why =
		found.ownAgent !== null
			? "your own pawl.yml says so"
			: found.agents.some(({ name }) => name === agent)
				? "it is installed here"
				: "the default; not installed here, see pawl doctor";
	return [
		`agent: ${agent} (${why})`,
		...CHECKS.map(
			(kind) => `${kind}: ${draft[kind] ?? `nothing found; set checks.${kind} in pawl.yml, so that pawl can check the work itself`}`,
		),
		`setup: ${draft.setup ?? "nothing found; if a fresh worktree needs one to pass its checks, set it"}`,
		...(fromOf(found) === "" ? [] : [`found in ${fromOf(found)}; the first run tries them before it starts an agent`]),
	];
}

const fromOf = ({ checksFrom, setupFrom }: Found): string => [checksFrom, setupFrom].filter((one) => one !== "").join(", ");
