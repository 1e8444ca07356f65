// `pawl demo plan`: an idea becomes stories. The planner asks one thing, and its first plan is sent back.
import type { Demo } from "./description.ts";
import { signals } from "./happenings.ts";
import { greetProject } from "./repository.ts";

export const plan: Demo = {
	about: `An idea becomes a prd.json. No model is asked. You will see the planner look
around and ask one question, its first plan be sent back because a story of it
has no criterion, and the stories that come out, each with commands that show
when it is done.`,
	files: greetProject(),
	workflow: "plan",
	given: "Greet people in their own language, and loudly if they like",
	script: "plan/demo.yml",
	typed: 'pawl plan "Greet people in their own language, and loudly if they like"',
	person: [{ reason: "only you know which languages people speak there", words: "German and French; English stays the default" }],
	happenings: signals({ questions: "question", checks_failed: "sent back" }),
	look: [
		["pawl prd validate prd.json --graph", "which stories wait for which"],
		["cat prd.json", "the stories with their criteria"],
		["git status --short", "prd.json is all that is new"],
		["pawl history", "what was asked and sent back"],
	],
};
