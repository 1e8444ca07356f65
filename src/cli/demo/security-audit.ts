// `pawl demo security-audit`: a small project with two holes. The worst is closed first; the verifier finds a way around the first fix.
import type { Demo } from "./description.ts";
import { signals } from "./happenings.ts";
import { greetProject } from "./repository.ts";

/** It evaluates the name, and reads a template from any path. */
const GREET = `#!/bin/sh
# greet.sh [--template=NAME] [NAME]: greets NAME, or the world, with a template of templates/.
set -eu

here=$(dirname "$0")
template=plain
name=world
for argument in "$@"; do
	case $argument in
	--template=*) template=\${argument#--template=} ;;
	*) name=$argument ;;
	esac
done
text=$(cat "$here/templates/$template")
eval "printf '%s\\n' \\"$text\\""
`;

const files = greetProject();

export const securityAudit: Demo = {
	about: `An audit: a scanner looks for weaknesses, somebody decides which are worth
closing now, and each is closed and verified before the next. No model is
asked; the exploits that the verifier tries are real, and harmless. You will
see three findings become two stories, the worst first, the verifier get around
a fix, and what was left for later in the text of the pull request.`,
	files: { ...files, "greet.sh": GREET, "templates/plain": "Hello, $name!\n" },
	workflow: "security-audit",
	given: "greet.sh, which other programs call with names and templates from the network",
	script: "security-audit/demo.yml",
	typed: 'pawl run security-audit "greet.sh, which other programs call …"',
	pullRequest: true,
	happenings: signals({ retry: "way around" }),
	look: [
		["git log --stat main..security/greet", "one fix after the other"],
		["cat .pawl/latest/pull-request.md", "the text for the pull request"],
		["pawl stories", "the findings that became stories"],
		["pawl status", "the run; also history, logs, cost, diff"],
	],
};
