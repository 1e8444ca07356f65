// What travels beside journals, in memory.
import type { FileChange, LogPiece, TravelledFile, Travelling } from "../store.ts";

type Fence = (run: string, lease: { readonly scope: string; readonly epoch: number }) => boolean;

export class MemoryTravel {
	private readonly held: Fence;
	private readonly logs = new Map<string, { readonly run: string; readonly pieces: LogPiece[] }>();
	private readonly files = new Map<string, { readonly run: string; readonly file: TravelledFile }>();
	private changes = 0;

	constructor(held: Fence) {
		this.held = held;
	}

	readonly contract: Travelling = {
		addLog: async (run, piece, lease) => {
			if (!this.held(run, lease)) return false;
			const key = JSON.stringify([run, piece.scope, piece.step]);
			const pieces = this.logs.get(key)?.pieces ?? [];
			this.logs.set(key, { run, pieces });
			if (!pieces.some(({ attempt, n }) => attempt === piece.attempt && n === piece.n)) pieces.push(piece);
			return true;
		},
		logs: async (run, scope) =>
			[...this.logs.values()].flatMap((log) => {
				const [first] = log.run === run ? log.pieces : [];
				return first === undefined || (scope ?? first.scope) !== first.scope
					? []
					: [{ scope: first.scope, step: first.step, size: whole(log.pieces).length }];
			}),
		readLog: async (run, scope, step, from) => whole(this.logs.get(JSON.stringify([run, scope, step]))?.pieces ?? []).subarray(from),
		files: async (run, after = 0, lane) =>
			[...this.files.values()]
				.flatMap((one) => (one.run === run && one.file.version > after && (lane ?? one.file.lane) === one.file.lane ? [one.file] : []))
				.sort((a, b) => a.version - b.version),
	};

	write(run: string, files: readonly FileChange[]): void {
		if (files.length > 0) this.changes++;
		for (const { path, lane, bytes, append } of files) {
			const key = JSON.stringify([run, path]);
			const before = append ? (this.files.get(key)?.file.bytes ?? null) : null;
			const now = bytes === null ? null : before === null ? Buffer.from(bytes) : Buffer.concat([before, bytes]);
			this.files.set(key, { run, file: { path, lane, bytes: now, version: this.changes } });
		}
	}

	remove(run: string): void {
		for (const kept of [this.logs, this.files]) for (const [key, one] of kept) if (one.run === run) kept.delete(key);
	}
}

const whole = (pieces: readonly LogPiece[]): Buffer => Buffer.concat(pieces.map(({ bytes }) => bytes));
