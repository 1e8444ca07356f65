// A forge whose code is loaded when it is first used: few runs open a pull request.
import type { Forge } from "../forge.ts";

/** Which remotes it serves has to be known before. */
export const lateForge = (name: string, load: () => Promise<Required<Forge>>, serves: Forge["serves"]): Forge => ({
	name,
	serves,
	problem: async (...given) => (await load()).problem(...given),
	open: async (...given) => (await load()).open(...given),
	issue: async (...given) => (await load()).issue(...given),
	readIssue: async (...given) => (await load()).readIssue(...given),
	listIssues: async (...given) => (await load()).listIssues(...given),
	comment: async (...given) => (await load()).comment(...given),
	requestState: async (...given) => (await load()).requestState(...given),
});
