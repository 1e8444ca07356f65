// The readers of a request.
import type { Reader, ReaderResult } from "../../reader.ts";
import { issueNumber } from "../../text/issue-query.ts";
import { readOneIssue } from "../../text/read-issues.ts";
import { readRequest } from "./request.ts";

export const requestReader: Reader = async (given) => {
	const { text } = given;
	const number = issueNumber(given.flags["issue"]);
	if (number !== null) return readOneIssue(given, number);
	const read = text === undefined ? null : readRequest(text);
	if (read === null || text === undefined) return null;
	if (!read.ok) return { ok: false, problems: read.problems.map((p) => p.message) };
	return { ok: true, title: read.story.title, stories: [read.story], input: { request: text }, fields: {} };
};

/** Agents of pipelines keep notes in `progress-RUN.txt` of their working folder; these never belong to the work. */
const PROGRESS_LOGS = "/progress-????????-??????-????.txt";

/** A task has no story of its own. */
export const taskReader: Reader = async (given): Promise<ReaderResult | null> => {
	const read = await requestReader(given);
	return read?.ok ? { ...read, stories: [], exclude: [PROGRESS_LOGS] } : read;
};
