// What the prompt of a planner is given: the PRD that it changes, and whether somebody answers questions.
import type { PromptContext } from "../../../format.ts";
import type { PromptAdditions } from "../../../prompt/additions.ts";
import { textOf } from "../reader.ts";

export async function promptAdditions({ state, step }: PromptContext): Promise<PromptAdditions> {
	const file = state.input["revised_prd"];
	const found = file === undefined ? null : await textOf(file);
	const current = found === null ? "" : "text" in found ? found.text : `(it cannot be read: ${found.problem})`;
	const hasAsked = step.question !== undefined;
	return {
		files: [],
		surroundings: [],
		variables: {
			plan_task: file === undefined ? NEW : REVISE,
			questions: state.options.yes ? NOBODY : hasAsked ? ASKED : SOMEBODY,
			or_questions: state.options.yes || hasAsked ? "" : OR_QUESTIONS,
		},
		quoted: { idea: state.input["request"] ?? "", current_prd: current },
	};
}

const NEW = "Turn the idea below into a plan: a list of small stories for this repository.";
const REVISE =
	'Change the plan below as the idea says, and no more: keep the ids and the words of the stories that it does not touch. Stories with `"passes": true` are delivered and stay as they are: leave them out of your answer. Anything about them that is to change becomes a new story with an id of its own. An open story that is not in your answer is dropped.';
const NOBODY = "Nobody answers questions: decide, and write down under `assumptions` what you decided.";
const ASKED = "You have asked your questions. What is still open you decide; write it down under `assumptions`.";
const SOMEBODY =
	"If what is wanted depends on something that only the user knows (what it is for, what must not change, which of two different products), ask: once, at most five questions, each in a line that can be answered in a few words. Whatever the repository answers, and whatever can be changed later, you decide; write it down under `assumptions`.";
const OR_QUESTIONS = `If you have to ask first, answer with this instead:

STATUS: questions
QUESTIONS:
- Should \`--shout\` change the name as well, or only the greeting?
- …`;
