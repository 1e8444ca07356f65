// `pawl demo phased`: a task document of two phases. A criterion fails although the executor says that it holds, and the supervisor has
// the rest planned anew, which a person approves.
import type { Demo } from "./description.ts";
import { signals } from "./happenings.ts";
import { greetProject } from "./repository.ts";

const DOCUMENT = `# Options for greet

People want to be greeted loudly and in their own language. \`sh scripts/test.sh\` runs every file in tests/.

## Phase 1: Options

### Task 1.1: Greet loudly with --shout

\`greet.sh --shout Ada\` prints HELLO, ADA! The option may stand before or after the name.

- [ ] The option is tested in tests/shout.sh \`test -f tests/shout.sh\`
- [ ] All tests pass \`sh scripts/test.sh\`

### Task 1.2: Greet in German with --lang=de

\`greet.sh --lang=de Ada\` prints Hallo, Ada!

- [ ] The option is tested in tests/lang.sh \`test -f tests/lang.sh\`
- [ ] All tests pass \`sh scripts/test.sh\`

## Phase 2: Help

### Task 2.1: List the options with --help

\`greet.sh --help\` prints one line for each option.

- [ ] The list is tested in tests/help.sh \`test -f tests/help.sh\`
- [ ] All tests pass \`sh scripts/test.sh\`
`;

export const phased: Demo = {
	about: `A task document: two phases, three tasks, success criteria with commands. A
supervisor looks before and after each task. No model is asked; the commits and
the commands of the criteria are real. You will see a person approve the plan,
a criterion fail although the executor says that it holds, and the supervisor
stop a task: the rest is planned anew, and a person approves that as well.`,
	files: { ...greetProject(), "tasks/options.md": DOCUMENT },
	workflow: "phased",
	given: "tasks/options.md",
	script: "phased/demo.yml",
	typed: "pawl run phased tasks/options.md",
	person: [{ reason: "three small tasks, each with a command that proves it" }, { reason: "two parsers would be one too many" }],
	happenings: signals({ checks_failed: "false claim", re_plan: "re-plan", findings: "finding" }),
	look: [
		["git log --stat", "what was delivered, task by task"],
		["pawl status", "the run; also history, logs, cost, diff"],
		["pawl checkpoint list", "the points that you could go back to"],
		["cat .pawl/latest/pull-request.md", "the text for the pull request"],
		["cat .claude/agent-state.json", "what other programs can read"],
	],
};
