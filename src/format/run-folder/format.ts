// A run folder, `ralph/runs/<id>/`: the files of a loop over one prompt.
import type { Format } from "../../format.ts";
import { late, lateControlFiles, lateKeeper, lateProjection } from "../late.ts";

/** Those that follow the journal. */
const JOURNAL_FILES = ["run.json", "orchestration.json", "events.ndjson"];

export const runFolder: Format = {
	name: "run-folder",
	commands: { ralph: { summary: "make and check run folders of the Ralph loop", load: () => import("./command.ts") } },
	flags: {
		promise: {
			flag: "--promise <text>",
			help: "the promise that ends a loop",
			readers: ["run-folder", "bare-prompt"],
			problem: (value) => (/^\s*$|[\r\n]/.test(String(value)) ? "must be one line of text" : null),
		},
	},
	deaf: ({ definition, input }) =>
		definition.projections.includes("run_folder") && input["folder"] === undefined
			? "its agents get nothing but their prompt, word for word, and it has no run folder whose progress.md could tell them"
			: null,
	promptAdditions: async (of) =>
		of.state.input["folder"] === undefined ? null : (await import("./prompt-additions.ts")).promptAdditions(of),
	keptStories: async (state) => (await import("./listing.ts")).storiesInFolder(state),
	readers: {
		"run-folder": late(async () => (await import("./reader.ts")).runFolder),
		"bare-prompt": late(async () => (await import("./reader.ts")).barePrompt),
		"run-folder-request": late(async () => (await import("./prepare-folder.ts")).runFolderRequest),
	},
	evidence: { "run-folder-ready": late(async () => (await import("./prepare-folder.ts")).runFolderReady) },
	keepers: {
		"run-folder": lateKeeper(async () => (await import("./keeper.ts")).runFolderKeeper),
		"run-folder-prep": lateKeeper(async () => (await import("./prepare-folder.ts")).runFolderPrep),
	},
	controlFiles: { "run-folder": lateControlFiles(async () => (await import("./control.ts")).control) },
	projections: {
		run_folder: {
			open: ({ state }) => {
				const { folder, folder_id: id } = state.input;
				if (folder === undefined || id === undefined) return null;
				const files = JOURNAL_FILES.map((name) => `${folder}/${name}`);
				return lateProjection(async () => new (await import("./journal-files.ts")).JournalFiles(state, folder, id), files);
			},
		},
	},
};
