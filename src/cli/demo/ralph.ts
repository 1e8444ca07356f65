// `pawl demo ralph`: the same prompt again and again. A reviewer takes back a story that was called done, and has steering split
// another one that is too large for one sitting.
import type { Event } from "../../core/event.ts";
import type { Demo, Happening } from "./description.ts";
import { greetProject, jsonFile } from "./repository.ts";

const FOLDER = "ralph/runs/options";

const STORIES = [
	{
		id: "S1",
		title: "Greet loudly with --shout",
		size: "S",
		passes: false,
		acceptance_criteria: ["greet.sh --shout Ada prints HELLO, ADA!", "The option may stand before or after the name"],
		verification_commands: ["sh scripts/test.sh"],
		notes: "",
	},
	{
		id: "S2",
		title: "Greet in German and in French with --lang, and refuse other languages",
		size: "M",
		passes: false,
		acceptance_criteria: ["--lang=de says Hallo", "--lang=fr says Bonjour", "Another language is refused, exit 2"],
		verification_commands: ["sh scripts/test.sh"],
		notes: "",
	},
];

const SPEC = `# Options for greet

## What is to be built

\`greet.sh --shout Ada\` greets in capitals, \`greet.sh --lang=de Ada\` in German; French is the second language.

## How it is checked

\`sh scripts/test.sh\` runs every file in tests/.
`;

const PROMPT = `# options

You work in a loop: this very prompt is given again and again, each time to somebody who remembers nothing.

Read first: \`${FOLDER}/PRD.md\`, \`${FOLDER}/prd.json\`, \`${FOLDER}/progress.md\`, \`git log --oneline -20\`.

1. Pick the first story in prd.json with passes=false.
2. Implement it, test it with its verification_commands, and commit.
3. Set passes=true only when all of its acceptance criteria are met. Otherwise say in its notes what is missing.
4. Append an entry to progress.md: the story, what you did, what the next one should know.

When every story passes, and only then, end your final message with this line:

<promise>ALL STORIES PASS</promise>
`;

export const ralph: Demo = {
	about: `A run folder with two stories, and one prompt that is given again and again to
workers who remember nothing: two of them, then a reviewer. No model is asked;
the commits and the commands that prove a story are real. You will see a worker
claim a story, the reviewer take it back, steering split a story that is too
large, and the promise that ends the loop.`,
	files: {
		...greetProject(),
		[`${FOLDER}/PRD.md`]: SPEC,
		[`${FOLDER}/prd.json`]: jsonFile({ run_id: "options", title: "Options for greet", stories: STORIES }),
		[`${FOLDER}/PROMPT.md`]: PROMPT,
		[`${FOLDER}/progress.md`]: "# Progress of options\n",
		[`${FOLDER}/orchestration.json`]: jsonFile({ scheme: "W2R", cursor: 0, queue: [], final_review_pending: false }),
	},
	workflow: "ralph",
	given: "options",
	script: "ralph/demo.yml",
	options: { maxIterations: 12 },
	typed: "pawl run ralph options --max-iterations 12",
	happenings,
	look: [
		["git log --stat", "what was delivered"],
		["pawl stories", "the stories as prd.json has them now"],
		[`cat ${FOLDER}/review.md`, "the last review"],
		[`cat ${FOLDER}/progress.md`, "what a worker finds from those before"],
		["pawl status", "the run; also history, logs, cost, diff"],
	],
};

/** A review that takes a story back, steering, and the promise; each with what became of the list. */
function happenings(events: readonly Event[]): Happening[] {
	let [passed, total, remark] = [0, STORIES.length, ""];
	let before = { passed, total };
	return events.flatMap((event): Happening[] => {
		if (event.event === "remarked") remark = event.text;
		if (event.event === "fields_set") {
			before = { passed, total };
			passed = Number(event.fields["stories_passed"] ?? passed);
			total = Number(event.fields["stories_total"] ?? total);
		}
		if (event.event !== "attempt_reported") return [];
		const told = (kind: string, text: string) => [{ kind, story: "", text: `iteration ${event.attempt}: ${text}` }];
		if (event.role === "reviewer" && passed < before.passed) return told("rejection", remark.replace(/^[^:]*: /, ""));
		if (event.role === "steering") return told("steering", `${before.total} stories became ${total}`);
		return event.signal === "promise" ? told("promise", `${passed} of ${total} stories pass`) : [];
	});
}
