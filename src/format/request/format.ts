// A request in plain words: one story (`request`), or a task whose first step makes the stories (`task`).
import type { Format } from "../../format.ts";
import { late } from "../late.ts";

export const request: Format = {
	name: "request",
	readers: {
		request: late(async () => (await import("./reader.ts")).requestReader),
		task: late(async () => (await import("./reader.ts")).taskReader),
	},
};
