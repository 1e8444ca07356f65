// Writes docs/prompts/dynamic-conflict.md: what the agents of `dynamic` are told when two stories changed the same lines, which no demo on one
// request comes to. Two stories side by side, in process. `npm run prompts` calls it; a test compares the page with what the code makes.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { storyOf } from "../../src/core/testing/builders.suite.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { type Harness, harness } from "../../src/engine/testing/harness.suite.ts";

export const CONFLICT_PAGE = join(import.meta.dirname, "..", "..", "docs", "prompts", "dynamic-conflict.md");

const SUMMARY = "## SUMMARY\n- greet.sh takes the option; tests/options.sh shows it\n";
const STORIES = [
	storyOf("US-001", {
		title: "Greet loudly with --shout",
		description: "People at the back of the room want to be greeted too.",
		criteria: ["greet.sh --shout Ada prints HELLO, ADA!"],
	}),
	storyOf("US-002", {
		title: "Greet in German with --lang=de",
		description: "A greeting is understood best in one's own language.",
		criteria: ["greet.sh --lang=de Ada prints Hallo, Ada!"],
	}),
];

/** The second story finds the first one on base, in the same file. */
async function played(t: Pick<TestContext, "after">): Promise<Harness> {
	const dynamic = BUILT_IN["dynamic"];
	if (dynamic === undefined) throw new Error("there is no run of dynamic");
	const h = await harness(t as TestContext, {
		...dynamic,
		stories: STORIES,
		files: { "greet.sh": 'echo "Hello, $1!"\n', "README.md": "Greets people.\n" },
		checks: { test: () => 0 },
		cast: {
			"*": SUMMARY,
			coding: async ({ files, checkout, story, takes }) => {
				await takes(story === "US-001" ? 60_000 : 600_000);
				files.write("greet.sh", `# with the option of ${story}\necho "Hello, $1!"\n`);
				checkout.commitAll(`Add the option of ${story}`);
				return SUMMARY;
			},
			rebase_resolve: ({ checkout }) => {
				checkout.mergeOurs("main");
				return "## SUMMARY\n- greet.sh: both options are read\n";
			},
		},
	});
	const state = await h.toHalt();
	if (state.status !== "completed") throw new Error(`the run is ${state.status}: ${state.reason ?? ""}`);
	return h;
}

export async function conflictPage(t: Pick<TestContext, "after">): Promise<string> {
	const h = await played(t);
	const at = h.prompts.findIndex(({ type }) => type === "rebase_resolve");
	if (at < 0) throw new Error("nobody met a conflict");
	const { story } = h.prompts[at] ?? {};
	const told = h.prompts.slice(at).filter((one) => one.story === story && ["rebase_resolve", "final_review"].includes(one.type));
	const names = new Map<string, string>();
	const nameOf = (commit: string): string => {
		const known = [...names].find(([one]) => one.startsWith(commit) || commit.startsWith(one))?.[1] ?? `commit-${names.size + 1}`;
		names.set(commit, known);
		return known;
	};
	const stable = (text: string): string =>
		text
			.replaceAll(h.sharedDir, "/demo/greet/.pawl/runs/RUN")
			.replaceAll(h.site.root, "/demo/greet")
			.replaceAll(/\b[0-9a-f]{12,40}\b/g, nameOf);
	const sections = told.map(
		({ type, prompt }, n) => `## ${n + 1}. ${story}: ${type}\n\n\`\`\`\`text\n${stable(prompt).replace(/\n*$/, "\n")}\`\`\`\``,
	);
	return `# What the agents of \`dynamic\` are told after a conflict

Made by \`npm run prompts\` from a run of two stories side by side that change the same lines; do not edit it. The second one is put on top of the first
by the step \`rebase_resolve\`, which only the engine adds, and is reviewed again. Paths and commits are replaced by names.

${sections.join("\n\n")}
`;
}

if (import.meta.main) {
	const ends: (() => unknown)[] = [];
	writeFileSync(CONFLICT_PAGE, await conflictPage({ after: (end) => void ends.push(end as () => unknown) }));
	for (const end of ends) await end();
	console.log("docs/prompts/dynamic-conflict.md");
}
