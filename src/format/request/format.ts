// A request in plain words: one story (`request`), or a task whose first step makes the stories (`task`).
import type { Format } from "../../format.ts";
import { issueNumber } from "../../text/issue-query.ts";
import { late } from "../late.ts";

export const request: Format = {
	name: "request",
	flags: {
		issue: {
			flag: "--issue <number>",
			help: "an issue of the forge, read with gh or glab",
			readers: ["request", "task"],
			insteadOfText: "NUMBER",
			problem: (value) => (issueNumber(value) === null ? "must be the number of an issue, such as 123" : null),
		},
	},
	readers: {
		request: late(async () => (await import("./reader.ts")).requestReader),
		task: late(async () => (await import("./reader.ts")).taskReader),
	},
};
