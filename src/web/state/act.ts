// Actions of a person. What the server refuses is said in an alert, with its sentence.
import { at, post } from "../api/request.ts";
import { alertOf } from "./alerts.ts";
import { inboxChanged } from "./live.ts";

/** True if the server took it. */
export async function act(run: string, action: string, body: object = {}): Promise<boolean> {
	try {
		await post(`runs/${at(run, action)}`, body);
		return true;
	} catch (error) {
		alertOf(error instanceof Error ? error.message : String(error));
		return false;
	} finally {
		inboxChanged();
	}
}
