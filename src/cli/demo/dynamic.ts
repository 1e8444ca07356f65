// `pawl demo dynamic`: six stories with three agents. A diamond (US-001, then US-002 and US-003, then US-004) and two independent ones
// that conflict in README.md.
import type { Demo } from "./description.ts";
import { editsAndRepairs } from "./happenings.ts";
import { greetProject, jsonFile } from "./repository.ts";

/** As many as can work side by side before US-001 is merged. */
const AGENTS = 3;

/** Far longer than a scripted step takes: an agent that waits for a story that went wrong must not wait for the usual quarter of an hour. */
const LONGEST_STEP_MS = 120_000;

interface DemoStory {
	readonly id: string;
	readonly title: string;
	readonly description: string;
	readonly acceptanceCriteria: readonly string[];
	readonly depends_on?: readonly string[];
}

const STORIES: readonly DemoStory[] = [
	{
		id: "US-001",
		title: "Look options up in options/",
		description: "An option of greet.sh is a file in options/, so that options can be added without touching greet.sh.",
		acceptanceCriteria: ["greet.sh --NAME[=VALUE] reads options/NAME.sh", "An unknown option is named on stderr, exit 2"],
	},
	{
		id: "US-002",
		title: "Greet loudly with --shout",
		description: "People at the back of the room want to be greeted too.",
		acceptanceCriteria: ["greet.sh --shout Ada prints HELLO, ADA!", "The option may stand before or after the name"],
		depends_on: ["US-001"],
	},
	{
		id: "US-003",
		title: "Greet in German and French with --lang",
		description: "A greeting is understood best in one's own language.",
		acceptanceCriteria: ["--lang=de says Hallo, --lang=fr says Bonjour", "Another language is refused, exit 2"],
		depends_on: ["US-001"],
	},
	{
		id: "US-004",
		title: "List the options with --help",
		description: "Every option in options/ says in its first line what it does; --help prints these lines.",
		acceptanceCriteria: ["greet.sh --help lists --help, --lang and --shout"],
		depends_on: ["US-002", "US-003"],
	},
	{
		id: "US-005",
		title: "Say goodbye with bye.sh",
		description: "A command of its own, so that nobody is greeted by mistake when they leave.",
		acceptanceCriteria: ["bye.sh Ada prints Goodbye, Ada!", "README.md lists the command"],
	},
	{
		id: "US-006",
		title: "Greet everyone in a file with greet-all.sh",
		description: "Greets each line of a file.",
		acceptanceCriteria: ["greet-all.sh FILE greets each line of FILE in its order", "README.md lists the command"],
	},
];

const userStories = STORIES.map((story, index) => ({ ...story, priority: index + 1, passes: false }));

export const dynamic: Demo = {
	about: `Six stories of a prd.json, three scripted agents, a git worktree for each.
No model is asked; the commits, the checks of pawl.yml and the merges are real.
One step restarts itself, one edits its plan, one leaves a bug that a check
finds, and two stories meet in the same place of one file.`,
	files: { ...greetProject(), "prd.json": jsonFile({ name: "greet, the next release", userStories }) },
	workflow: "dynamic",
	script: "dynamic/demo-prd.yml",
	options: {
		flags: { prd: "prd.json" },
		agents: AGENTS,
		timeout: { context_gathering: LONGEST_STEP_MS, review: LONGEST_STEP_MS },
	},
	happenings: editsAndRepairs,
	look: [
		["git log --stat", "what was delivered"],
		["git diff prd.json", "which stories pass now"],
		["pawl status", "the run; also history, logs, cost, diff"],
		["ls .pawl/latest/", "its files: the state, the notes, the logs"],
	],
};
