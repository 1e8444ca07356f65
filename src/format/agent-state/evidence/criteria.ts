// The evidence `criteria`: whether the success criteria of a story hold. The command of a criterion is run; a criterion without
// one is what the agent says about it.

import { type Criterion, readAnswers, readCriteria } from "../../../core/criterion.ts";
import type { CheckResult } from "../../../core/input.ts";
import type { Evidence } from "../../../format.ts";

const KEY = "CRITERIA";
/** The signal of a command that nobody can run: the document is at fault, so a person is asked instead of an agent. */
const BROKEN = "criterion_broken";
const CANNOT_START = [126, 127];
/** Something in the tree, which the executor may still have to make. */
const OWN_FILE = /(?:^|\s)(?!\/)[\w.@-]*\/[\w./@-]+/;

/** What the agent says of a criterion; nothing was run. */
const word = (slug: string, holds: boolean, output: string): CheckResult => ({
	name: slug,
	command: `${KEY}: ${slug}`,
	exitCode: holds ? 0 : 1,
	output,
	said: true,
});

export const criteria: Evidence = async (context, said) => {
	const story = context.state.stories.find((s) => s.id === context.scope);
	if (!story || said.signal === "unreadable") return [];
	const answers = readAnswers(said.fields[KEY] ?? "");
	const results: CheckResult[] = [];
	for (const criterion of readCriteria(story.criteria)) {
		if (context.signal.aborted) break;
		results.push(...(await look(criterion, answers.get(criterion.slug))));
	}
	return results;

	async function look(criterion: Criterion, answer: boolean | undefined): Promise<CheckResult[]> {
		const { slug, text, commands } = criterion;
		const denied = `by its own report it does not hold yet (${text})`;
		if (commands.length === 0) {
			const output =
				answer === undefined
					? `the report does not say whether it holds: ${KEY} needs a line "- ${slug}: true" or "- ${slug}: false" (${text})`
					: answer
						? ""
						: denied;
			const result = word(slug, answer === true, output);
			return [answer === undefined ? { ...result, unsaid: true } : result];
		}
		const ran: CheckResult[] = [];
		for (const command of commands) {
			const result = await context.run(command, { name: slug });
			ran.push(isBroken(result) ? { ...result, signal: BROKEN } : result);
		}
		if (answer !== false || ran.some((one) => one.exitCode !== 0)) return ran;
		return [...ran, word(slug, false, denied)];
	}

	function isBroken({ command, exitCode }: CheckResult): boolean {
		if (exitCode === null || !CANNOT_START.includes(exitCode)) return false;
		return said.signal === "done" || !OWN_FILE.test(command);
	}
};
