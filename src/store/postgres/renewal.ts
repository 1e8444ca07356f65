// Keeps something alive that runs out by the database's clock unless it is renewed. A holder that could not renew it, because it slept, was cut off or the database
// was away, learns that from its own clock, counted from the moment in which it last asked, so it knows no later than everybody else.

/** How often it is renewed while it lasts. */
const RENEWALS = 6;

export interface Renewed {
	/** Aborted when it has run out, or is somebody else's. */
	readonly lost: AbortSignal;
	/** Renews it no more. False if that had ended before. */
	stop(): boolean;
}

export interface Renewal {
	/** For the reason of the abort. */
	readonly what: string;
	readonly ttlMs: number;
	/** When it was asked for, by `performance.now()`. */
	readonly takenAt: number;
	/** False: it is no longer ours. */
	readonly renew: () => Promise<boolean>;
	readonly onLost?: () => void;
}

export function keepRenewed({ what, ttlMs, takenAt, renew, onLost }: Renewal): Renewed {
	const lost = new AbortController();
	let [renewedAt, renewing, ended] = [takenAt, false, false];
	const stop = (): boolean => {
		clearInterval(beats);
		const first = !ended;
		ended = true;
		return first;
	};
	const lose = (why: string): void => {
		if (!stop()) return;
		onLost?.();
		lost.abort(new Error(`${what} is lost: ${why}`));
	};
	const beat = async (): Promise<void> => {
		if (performance.now() - renewedAt >= ttlMs) return lose(`it was not renewed for ${Math.round(ttlMs / 1000)} s`);
		if (renewing) return;
		renewing = true;
		const at = performance.now();
		try {
			if (await renew()) renewedAt = at;
			else lose("another process has it");
		} catch {
			// The next one may succeed; if none does, the clock tells.
		} finally {
			renewing = false;
		}
	};
	// Renewals come more often than that; this is for the one that hangs.
	const beats = setInterval(() => void beat(), Math.max(ttlMs / RENEWALS, 1)).unref();
	return { lost: lost.signal, stop };
}
