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
	const odd = [path, ROOT_RESULT].find((name) => isBroken(folder.text(name), before.files[name] ?? null));
	if (odd !== undefined)
		remarks.push(`${odd} asks for nothing: it holds no JSON object; {"complete": true, "reason": "worker_done"} asks for a final review`);
	if (asks) remarks.push(`${isNew ? ROOT_RESULT : path} asks for a final review`);
	return asks;
}

const isBroken = (text: string | null, before: string | null): boolean => text !== null && text !== before && objectIn(text) === null;
