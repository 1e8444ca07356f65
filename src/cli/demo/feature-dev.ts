// `pawl demo feature-dev`: a request becomes two stories. The verifier sends one of them back, the reviewer asks for a change, and a pull
// request is opened on a forge that is only a folder.
import type { Demo } from "./description.ts";
import { PULL_REQUEST } from "./forge.ts";
import { signals } from "./happenings.ts";
import { greetProject } from "./repository.ts";

export const featureDev: Demo = {
	about: `One request: a planner makes two stories of it, a developer works on one after
the other, and a verifier looks at each. No model is asked; the branch, the
commits and the push are real, but the forge is only a folder beside the
repository. You will see the verifier send a story back, the text of the pull
request, and a reviewer who wants one more change before it can be merged.`,
	files: greetProject(),
	workflow: "feature-dev",
	given: "Greet people in German, and loudly if they want",
	script: "feature-dev/demo.yml",
	options: { push: true },
	typed: 'pawl run feature-dev "Greet people in German, and loudly if they want" --push',
	forge: true,
	pullRequest: true,
	happenings: signals({ retry: "rejection" }),
	look: [
		["git log --stat main..feature/options", "what was delivered"],
		[`cat "$(pwd)-forge/${PULL_REQUEST}"`, "the pull request"],
		["pawl stories", "the stories that the planner made"],
		["pawl diff latest US-002", "what one of them changed"],
		["pawl status", "the run; also history, logs, cost"],
	],
};
