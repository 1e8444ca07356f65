// prd.json: a list of stories that a run starts from, in which `passes` is set as they pass.
import { join } from "node:path";
import type { Format } from "../../format.ts";
import { queryProblem } from "../../text/issue-query.ts";
import { late, lateProjection } from "../late.ts";

export const prd: Format = {
	name: "prd",
	commands: {
		prd: { summary: "validate a prd.json", load: () => import("./command.ts") },
		plan: { group: "run", summary: "turn an idea into the stories of a prd.json", load: () => import("./plan/command.ts") },
	},
	flags: {
		prd: {
			flag: "--prd <file>",
			help: "stories from a prd.json",
			readers: ["prd", "run-folder"],
			insteadOfText: "FILE",
			besideText: ["run-folder"],
		},
		issues: {
			flag: "--issues <query>",
			help: 'stories from the open issues of the forge that fit, such as "label:agent"',
			readers: ["prd"],
			insteadOfText: "QUERY",
			problem: (value) => queryProblem(value),
		},
		out: { flag: "-o, --out <file>", help: "where the PRD goes; - prints it", readers: ["idea"], command: "plan" },
		revise: { flag: "--revise <file>", help: "change this prd.json", readers: ["idea"], command: "plan" },
		force: { flag: "--force", help: "replace a file that is there already", readers: ["idea"], command: "plan" },
	},
	readers: {
		prd: late(async () => (await import("./reader.ts")).prdReader),
		idea: late(async () => (await import("./plan/reader.ts")).ideaReader),
	},
	actions: { "prd.write": late(async () => (await import("./plan/write.ts")).write) },
	evidence: { prd: late(async () => (await import("./plan/write.ts")).isPrd) },
	promptAdditions: async (of) =>
		of.state.input["planned_prd"] === undefined ? null : (await import("./plan/prompt.ts")).promptAdditions(of),
	userFiles: ({ input }) => [input["prd"] ?? [], input["planned_prd"] ?? []].flat().filter((file) => file !== "-"),
	storiesNow: async ({ input }) => (input["prd"] === undefined ? null : (await import("./reader.ts")).storiesNow(input["prd"])),
	inputsIn: async (tree) => {
		const now = await (await import("./reader.ts")).storiesNow(join(tree, "prd.json"));
		if (now === null || !("stories" in now)) return [];
		const left = now.stories.filter(({ passes }) => passes !== true).length;
		const text = `prd.json: ${left} of ${now.stories.length} stories ${left === 1 ? "is" : "are"} left`;
		return left === 0 ? [] : [{ text, command: "pawl run dynamic --prd prd.json" }];
	},
	undone: async ({ input }, stories, warn) => {
		if (input["prd"] !== undefined) await (await import("./prd-file.ts")).setPasses(input["prd"], stories, false, warn);
	},
	projections: {
		prd: {
			open: ({ state, warn }) => {
				const file = state.input["prd"];
				return file === undefined ? null : lateProjection(async () => new (await import("./prd-file.ts")).PrdFile(file, warn));
			},
		},
	},
};
