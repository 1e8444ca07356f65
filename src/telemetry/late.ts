// Loads what telemetry needs when the first event is seen, and not before: most commands of a person whose environment names a collector only look.
import type { Telemetry } from "../telemetry.ts";

type Witness = Telemetry["witness"];

/** What there is once it is loaded. */
export interface Loaded {
	readonly witness: Witness;
	close(): Promise<void>;
}

export function lateTelemetry(load: (warn: (text: string) => void) => Promise<Loaded>, warn: (text: string) => void): Telemetry {
	let told = false;
	// Once: a collector that is away would be told of with every batch.
	const once = (text: string): void => {
		if (!told) warn(text);
		told = true;
	};
	const failed = (error: unknown): null => {
		once(`telemetry failed: ${error instanceof Error ? error.message : String(error)}`);
		return null;
	};
	let loading: Promise<Loaded | null> | null = null;
	let seen: Promise<void> = Promise.resolve();
	return {
		witness: (...given) => {
			loading ??= load(once).catch(failed);
			const ready = loading;
			seen = seen
				.then(async () => (await ready)?.witness(...given))
				.catch(failed)
				.then(() => {});
		},
		close: async () => {
			if (loading === null) return;
			await seen;
			await (await loading)?.close().catch(failed);
		},
	};
}
