// While the repository that machines share does not answer, what needs it waits: nothing is wrong with the work itself, and another machine would not
// reach it either.
import { RemoteAway } from "../workspace.ts";
import type { Clock } from "./clock.ts";

/** The call itself has tried for a while before it gave up. */
const AGAIN_MS = 15_000;

export interface RemoteWait {
	readonly clock: Clock;
	/** Whether the result is still wanted. */
	readonly signal: AbortSignal;
	/** Told once, if it has to wait. */
	readonly onWait: (text: string) => Promise<void> | void;
}

/** Does something again and again until the repository answers; null: it is no longer wanted. */
export async function whenThere<T>({ clock, signal, onWait }: RemoteWait, work: () => Promise<T>): Promise<T | null> {
	for (let told = false; ; told = true) {
		try {
			return await work();
		} catch (error) {
			if (!(error instanceof RemoteAway)) throw error;
			if (!told && !signal.aborted) await onWait(`waits until the shared repository answers: ${error.message}`);
		}
		await pause(clock, signal);
		if (signal.aborted) return null;
	}
}

const pause = (clock: Clock, signal: AbortSignal): Promise<void> =>
	new Promise((done) => {
		if (signal.aborted) return done();
		const end = (): void => {
			cancel();
			signal.removeEventListener("abort", end);
			done();
		};
		const cancel = clock.after(AGAIN_MS, end);
		signal.addEventListener("abort", end, { once: true });
	});
