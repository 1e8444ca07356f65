// Work of one scope is done in the order in which it was added; different scopes work side by side.

export class Lanes {
	private readonly lanes = new Map<string, Promise<void>>();
	private readonly onError: (error: unknown) => void;
	private readonly onIdle: () => void;
	private running = 0;

	/** `onIdle` is called after each piece of work. */
	constructor(onError: (error: unknown) => void, onIdle: () => void) {
		this.onError = onError;
		this.onIdle = onIdle;
	}

	get busy(): boolean {
		return this.running > 0;
	}

	/** Settles when it is done; never rejects. */
	add(scope: string, work: () => Promise<void>): Promise<void> {
		this.running++;
		const lane = (this.lanes.get(scope) ?? Promise.resolve())
			.then(work)
			.catch(this.onError)
			.finally(() => {
				this.running--;
				this.onIdle();
			});
		this.lanes.set(scope, lane);
		return lane;
	}

	/** Resolves when all work that was added so far is done. */
	async drained(): Promise<void> {
		await Promise.all(this.lanes.values());
	}
}
