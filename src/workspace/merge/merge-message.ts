// The message of a story's commit on base. Trailers name the run and the story; nothing that an agent or a person wrote can
// get there. The journal decides what counts as a merge; only for a step that an earlier version began do the trailers count.
import type { FoundCommit, MergeRequest } from "../../workspace.ts";
import { git, tryGit } from "../git/git.ts";

type Named = Pick<MergeRequest, "run" | "story" | "title">;

export function messageOf({ run, story, title }: Named): string {
	return `${subjectStart(story)}${oneLine(title)}`.trimEnd().concat(`\n\nPawl-Run: ${oneLine(run)}\nPawl-Story: ${oneLine(story)}\n`);
}

const value = (key: string): string => `%(trailers:key=${key},valueonly,unfold,separator=%x1d)`;
const FORMAT = `--format=%H%x1f%s%x1f${value("Pawl-Run")}%x1f${value("Pawl-Story")}%x1e`;
const SHOWN = ["--no-show-signature", "--no-color", "--encoding=UTF-8", FORMAT];

export async function findCommit(root: string, name: string): Promise<FoundCommit | null> {
	const log = await tryGit(root, ["log", "-1", ...SHOWN, "--end-of-options", `${name}^{commit}`]);
	if (log.code !== 0) return null;
	const [sha = "", subject = "", run = "", story = ""] = (log.stdout.toString("utf8").split("\x1e")[0] ?? "").split("\x1f");
	return { sha, subject, run: run || null, story: story || null };
}

/** The commit on base with these trailers, searched from the point where the story left base, or (null) in all of base. */
export async function findMerged(root: string, { run, story }: Named, fork: string | null, base: string): Promise<string | null> {
	// Includes the fork itself: a merged story continues from its own commit.
	const range = fork === null ? ["--fixed-strings", `--grep=Pawl-Run: ${oneLine(run)}`, base] : [base, "--not", `${fork}^@`];
	const log = await git(root, ["log", ...SHOWN, ...range]);
	for (const entry of log.split("\x1e")) {
		const [commit = "", subject = "", runs = "", stories = ""] = entry.trim().split("\x1f");
		if (runs === oneLine(run) && stories === oneLine(story) && subject.startsWith(subjectStart(story).trimEnd())) return commit;
	}
	return null;
}

const subjectStart = (story: string): string => `feat(ralph): ${story} - `;

// Control characters would start a new line, and with it a trailer.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const oneLine = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
