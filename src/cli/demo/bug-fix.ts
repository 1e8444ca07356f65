// `pawl demo bug-fix`: a bug report. The first regression test would not have found the bug: the verifier sees that, because it runs the
// test on the commit before the fix.
import type { Demo } from "./description.ts";
import { signals } from "./happenings.ts";
import { greetProject } from "./repository.ts";

/** The name is part of printf's format. */
const GREET = `#!/bin/sh
# greet.sh [NAME]: greets NAME, or the world.
set -eu

printf "Hello, \${1:-world}!\\n"
`;

export const bugFix: Demo = {
	about: `A bug report: it is reproduced, its cause is found, then there is a test that
fails because of it and only then the fix. No model is asked; the commits and
the tests are real. You will see the verifier run the new test on the code
without the fix, reject it because it passes there too, and accept the second.`,
	files: { ...greetProject(), "greet.sh": GREET },
	workflow: "bug-fix",
	given: 'greet.sh "100%" prints nonsense instead of greeting 100%',
	script: "bug-fix/demo.yml",
	typed: `pawl run bug-fix 'greet.sh "100%" prints nonsense instead of greeting 100%'`,
	pullRequest: true,
	happenings: signals({ retry: "rejection" }),
	look: [
		["git log --stat main..fix/percent", "the test, then the fix"],
		["cat .pawl/latest/pull-request.md", "the text for the pull request"],
		["pawl logs latest run verify", "what the verifier ran and saw"],
		["pawl status", "the run; also history, cost, diff"],
	],
};
