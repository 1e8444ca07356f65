// `output/worker_result.json`, with which a worker asks for a final review. Prompts of this format name it without saying below which folder, so a
// worker may have written it at the root of the checkout: pawl then takes it from there, and it never becomes part of the work.
import { objectIn } from "./folder.ts";
import { type Before, RESULT, ROOT_RESULT } from "./put-back.ts";
import type { Turn } from "./turn.ts";

/** Whether the worker of this iteration asks for a final review, or one of an earlier iteration whose review has not begun. */
export async function asksForReview({ context, folder, who }: Turn, before: Before, remarks: string[]): Promise<boolean> {
	if (who !== "worker") return false;
	const path = folder.own(RESULT);
	const root = folder.text(ROOT_RESULT);
	const isNew = root !== null && root !== before.files[ROOT_RESULT] && objectIn(root)?.["complete"] !== undefined;
	if (isNew) {
		folder.write(path, root);
		// What the worker committed itself is its own affair.
		if ((await context.repository.dirty()).includes(ROOT_RESULT)) folder.remove(ROOT_RESULT);
	}
	const text = folder.text(path);
	const asks = objectIn(text)?.["complete"] === true;
	for (const name of isNew ? [path] : [path, ROOT_RESULT]) {
		const now = folder.text(name);
		const wrong = now === null || now === before.files[name] ? null : problemIn(now);
		if (wrong !== null)
			remarks.push(`${name} asks for nothing: ${wrong}; {"complete": true, "reason": "worker_done"} asks for a final review`);
	}
	if (asks) remarks.push(`${isNew ? ROOT_RESULT : path} asks for a final review`);
	return asks;
}

function problemIn(text: string): string | null {
	const value = objectIn(text);
	if (value === null) return "it holds no JSON object";
	const { complete } = value;
	return typeof complete === "boolean"
		? null
		: `its \`complete\` is ${complete === undefined ? "missing" : JSON.stringify(complete)}, not true`;
}

/** A request counts in the iteration that makes it, or never: one that was passed over must not bring about a review much later. */
export function settleRequest({ folder }: Turn, asked: boolean, signal: string, remarks: string[]): void {
	// The review itself removes it, so that a crash in between cannot lose it.
	if (!asked || signal === "final_requested") return;
	folder.remove(folder.own(RESULT));
	if (signal !== "promise")
		remarks.push(
			`the request for a final review does not count, because of how this iteration ended (${signal.replaceAll("_", " ")}): ask again when it is time`,
		);
}
