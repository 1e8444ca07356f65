// Moves the output of a process to its consumer, no faster than the consumer takes it.
import type { Readable } from "node:stream";

export type Consumer = (chunk: Buffer) => void | Promise<void>;

export interface Pump {
	/** The consumer is still busy with a chunk, so silence does not mean that the process is silent. */
	busy(): boolean;
	/** Why the consumer gave up; later output was discarded, so that the process does not block. */
	failure(): string | null;
	/** Reads to the end of the stream, or until it has been silent for this long: some process may hold it open forever. */
	drain(silenceMs: number): Promise<void>;
}

export function pump(stream: Readable, consume: Consumer | undefined, onOutput: () => void): Pump {
	let busy = false;
	let failure: string | null = null;
	let last = performance.now();
	let closed = false;
	const close = new Promise<void>((done) => {
		stream.once("close", () => {
			closed = true;
			done();
		});
	});
	// A broken pipe is the end of the stream, nothing more.
	stream.on("error", () => {});
	const settle = (error?: unknown): void => {
		if (error !== undefined) failure = error instanceof Error ? error.message : String(error);
		busy = false;
		last = performance.now();
		onOutput();
		stream.resume();
	};
	stream.on("data", (chunk: Buffer) => {
		last = performance.now();
		onOutput();
		if (consume === undefined || failure !== null) return;
		try {
			const pending = consume(chunk);
			if (pending === undefined) return;
			busy = true;
			stream.pause();
			pending.then(
				() => settle(),
				(error: unknown) => settle(error ?? "unknown"),
			);
		} catch (error) {
			settle(error ?? "unknown");
		}
	});
	return {
		busy: () => busy,
		failure: () => failure,
		drain: async (silenceMs) => {
			last = performance.now();
			while (!closed) {
				let timer: NodeJS.Timeout | undefined;
				const pause = new Promise<void>((done) => {
					timer = setTimeout(done, silenceMs);
				});
				await Promise.race([close, pause]);
				clearTimeout(timer);
				if (!closed && !busy && performance.now() - last >= silenceMs) stream.destroy();
			}
		},
	};
}
