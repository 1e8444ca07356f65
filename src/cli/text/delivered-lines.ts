// What a run has made and what it left, for the summary at its end and for `pawl status`.
import type { Delivery } from "../../runs/look/delivery.ts";
import { fold } from "./columns.ts";
import { fitted } from "./fit.ts";
import type { Paint } from "./text.ts";

interface Look {
	readonly color: Paint;
	readonly width: number;
}

/** The newest are the ones that people look for. */
const MOST_COMMITS = 50;

export function deliveredLines({ branch, base, commits, pull_request: request, pull_request_text: file }: Delivery, look: Look): string[] {
	if (commits.length === 0) return [];
	const { color, width } = look;
	const on = branch ?? base;
	const left = commits.length - MOST_COMMITS;
	return [
		"",
		color.bold(`commits${on === null ? "" : ` on ${on}`}`),
		...(left > 0 ? [`  … (${left} before these)`] : []),
		fitted(
			commits.slice(-MOST_COMMITS).map((commit) => [{ text: commit.sha.slice(0, 8), paint: color.yellow }, commit.subject]),
			width,
		),
		...(branch === null && !request && !file ? [] : [""]),
		...(branch === null
			? []
			: [
					`branch: ${branch} (${commits.length} commit${commits.length === 1 ? "" : "s"} on top of ${base ?? "the base"}, which is as it was)`,
				]),
		...(request ? [`pull request: ${request}`] : []),
		...(!request && file ? [`pull request: not opened; its text is in ${file}`] : []),
	];
}

interface LeftAside {
	readonly aside: readonly string[];
	readonly keptRefs: string | null;
	readonly putBack: readonly string[];
}

const MOST_FILES = 10;

/** What sessions made that is no part of the work, and where it is. */
export function asideLines({ aside, keptRefs, putBack }: LeftAside, { color, width }: Pick<Look, "color" | "width">): string[] {
	const listed = (heading: string, texts: readonly string[]): string[] =>
		texts.length === 0
			? []
			: [
					"",
					color.bold(heading),
					...texts.slice(0, MOST_FILES).flatMap((text) => fold(`  ${text}`, width, 4)),
					...(texts.length > MOST_FILES ? [`  … and ${texts.length - MOST_FILES} more`] : []),
				];
	return [
		...listed("files that were put aside as no part of the work", aside),
		...listed("what sessions may not change, and was put back", putBack),
		...(keptRefs === null
			? []
			: ["", ...fold(`branches, tags or stashes of sessions were taken away again; see: git for-each-ref ${keptRefs}`, width, 2)]),
	];
}
