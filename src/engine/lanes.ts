// Work of one scope is done in the order in which it was added; different scopes work side by side.

export class Lanes {
	private readonly lanes = new Map<string, Promise<void>>();
	private readonly onError: (error: unknown, scope: string) => void;
	private readonly onIdle: () => void;
	private readonly running = new Map<string, number>();

	/** `onIdle` is called after each piece of work. */
	constructor(onError: (error: unknown, scope: string) => void, onIdle: () => void) {
		this.onError = onError;
		this.onIdle = onIdle;
	}

	get busy(): boolean {
		return this.running.size > 0;
	}

	isBusy(scope: string): boolean {
		return this.running.has(scope);
	}

	/** Settles when it is done; never rejects. */
	add(scope: string, work: () => Promise<void>): Promise<void> {
		this.running.set(scope, (this.running.get(scope) ?? 0) + 1);
		const lane = (this.lanes.get(scope) ?? Promise.resolve())
			.then(work)
			.catch((error: unknown) => this.onError(error, scope))
			.finally(() => {
				const left = (this.running.get(scope) ?? 1) - 1;
				if (left > 0) this.running.set(scope, left);
				else this.running.delete(scope);
				this.onIdle();
			});
		this.lanes.set(scope, lane);
		return lane;
	}

	/** Resolves when all work that was added so far is done, in one scope or in all of them. */
	async drained(scope?: string): Promise<void> {
		await Promise.all(scope === undefined ? this.lanes.values() : [this.lanes.get(scope)]);
	}
}
