// Which parts of our sources ran, by V8's own block coverage, without any tool: a text that reaches a block that no other reached is worth changing further.
import { Session } from "node:inspector";

interface Range {
	readonly startOffset: number;
	readonly endOffset: number;
	readonly count: number;
}
interface Taken {
	readonly result: readonly { readonly url: string; readonly functions: readonly { readonly ranges: readonly Range[] }[] }[];
}

export class Coverage {
	private readonly session = new Session();
	private readonly seen = new Set<string>();

	begin(): void {
		this.session.connect();
		this.session.post("Profiler.enable");
		this.session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
	}

	/** Without it the code runs at full speed. */
	end(): void {
		this.session.post("Profiler.stopPreciseCoverage");
		this.session.post("Profiler.disable");
		this.session.disconnect();
	}

	/** The blocks that ran since the last call and are new; they are new until `learn`. */
	fresh(): string[] {
		let taken: Taken = { result: [] };
		this.session.post("Profiler.takePreciseCoverage", (_, value) => {
			taken = value as unknown as Taken;
		});
		const found: string[] = [];
		for (const { url, functions } of taken.result) {
			if (!url.includes("/src/")) continue;
			for (const { ranges } of functions)
				for (const { startOffset, endOffset, count } of ranges) {
					const key = `${url}:${startOffset}:${endOffset}`;
					if (count > 0 && !this.seen.has(key)) found.push(key);
				}
		}
		return found;
	}

	learn(blocks: readonly string[]): void {
		for (const block of blocks) this.seen.add(block);
	}

	get size(): number {
		return this.seen.size;
	}
}
