// The conversation of `pawl init`: which questions it asks, and what an answer means. Every question has a default, which Enter takes. The
// terminal and the checks come in as functions, so that tests can play both.
import type { CheckName, ConfigChoices } from "../../runs/init/choices.ts";
import { agentToWrite, CHECKS, choicesFrom, suggestedAgent } from "../../runs/init/choices.ts";
import type { RepositoryFacts } from "../../runs/init/facts.ts";
import type { Tried } from "../../runs/init/try-check.ts";
import { flat, span } from "../text/text.ts";

export interface Talk {
	say(line: string): void;
	/** What the person typed, without spaces around it; throws `Left` if they leave. */
	ask(question: string, suggested: string): Promise<string>;
	tryCheck(name: CheckName, command: string): Promise<Tried>;
}

/** The person left the conversation: Ctrl-C, or the end of the input. */
export class Left extends Error {}

/** The answer for "no command". */
export const NONE = "-";

export async function talk(facts: RepositoryFacts, t: Talk): Promise<ConfigChoices> {
	const agent = await askAgent(facts, t);
	t.say("");
	t.say(`Checks: commands that have to pass before pawl delivers anything. Enter takes what is in brackets, ${NONE} means none.`);
	const first = choicesFrom(facts);
	const checks = { lint: await askCommand(t, "lint", first.lint), test: await askCommand(t, "test", first.test) };
	if (checks.lint === null && checks.test === null) t.say("Without a check there is only the agents' word.");
	else if (await askYes(t, "try them once, here and now?")) for (const name of CHECKS) checks[name] = await proven(t, name, checks[name]);
	t.say("");
	t.say("Setup: a command that makes a fresh worktree usable, such as one that installs dependencies.");
	return { agent, ...checks, setup: await askCommand(t, "setup", first.setup) };
}

async function askAgent(facts: RepositoryFacts, t: Talk): Promise<string | null> {
	const suggested = suggestedAgent(facts);
	const names = facts.agents.map(({ name }) => name);
	if (facts.agents.length > 0) t.say("Agents that are installed here:");
	for (const { name, version, loggedIn } of facts.agents)
		t.say(
			`  ${name} ${version ?? ""} ${loggedIn === null ? "(nothing says that you are logged in)" : `(${loggedIn})`}`.replace("  (", " ("),
		);
	if (names.length === 0) {
		t.say(`No agent is installed that pawl knows; pawl doctor says how to install one. pawl.yml will use ${suggested}.`);
		return agentToWrite(facts, suggested);
	}
	if (names.length === 1 && names[0] === suggested) {
		t.say(`${suggested} does the work: it is the only agent here that pawl knows.`);
		return agentToWrite(facts, suggested);
	}
	for (;;) {
		const answer = (await t.ask("agent that does the work", suggested)) || suggested;
		if (answer === suggested || names.includes(answer)) return agentToWrite(facts, answer);
		t.say(`there is no ${answer} here; there is ${names.join(", ")}`);
	}
}

async function askCommand(t: Talk, name: string, suggested: string | null): Promise<string | null> {
	const answer = await t.ask(name, suggested ?? NONE);
	if (answer === "") return suggested;
	return answer === NONE ? null : answer;
}

async function askYes(t: Talk, question: string): Promise<boolean> {
	return !/^no?$/i.test(await t.ask(question, "yes"));
}

/** Tries a command until it passes, or the person keeps it as it is or takes it out. */
async function proven(t: Talk, name: CheckName, command: string | null): Promise<string | null> {
	for (let now = command; ; ) {
		if (now === null) return null;
		t.say(`trying ${name}: ${now}`);
		const tried = await t.tryCheck(name, now);
		t.say(`  ${resultOf(tried)}`);
		if (tried.how === "passed") return now;
		for (const line of tried.tail) t.say(`    ${flat(line)}`);
		t.say(adviceOn(tried));
		const kept: string | null = tried.how === "cannot_start" ? null : now;
		const answer = await askCommand(t, name, kept);
		if (answer === kept) return kept;
		now = answer;
	}
}

function resultOf({ how, exitCode, ms }: Tried): string {
	const after = `after ${span(ms)}`;
	switch (how) {
		case "passed":
			return `passed ${after}`;
		case "failed":
			return `failed with exit code ${exitCode} ${after}`;
		case "cannot_start":
			return `cannot be started (exit code ${exitCode})`;
		case "did_not_end":
			return `did not end by itself; stopped ${after}`;
	}
}

const adviceOn = ({ how }: Tried): string =>
	how === "cannot_start"
		? `Name another command, or take ${NONE} for none: pawl refuses to start a run with a check that cannot start.`
		: `Keep it, if it is right: agents are told that it failed before them, and what they deliver has to pass. Or name another command, or ${NONE}.`;
