// The members of a gate share a tree. None starts before all have recorded its state, or one would take another's changes for its starting
// point. They are judged one after the other, or two would put the tree back at the same time.

export interface Seat {
	/** Resolves when all members have recorded the state of the tree. */
	ready(): Promise<void>;
	inTurn<T>(work: () => Promise<T>): Promise<T>;
	/** The others need not wait for this one any longer. */
	leave(): void;
}

export class Round {
	private missing: number;
	/** In the order of the seats: the member named first begins first, however long each took to prepare. */
	private readonly seats: PromiseWithResolvers<void>[] = [];
	private last: Promise<unknown> = Promise.resolve();

	constructor(members: number) {
		this.missing = members;
	}

	seat(): Seat {
		let arrived = false;
		const begin = Promise.withResolvers<void>();
		this.seats.push(begin);
		const arrive = (): void => {
			if (arrived) return;
			arrived = true;
			this.missing--;
			if (this.missing <= 0) for (const { resolve } of this.seats) resolve();
		};
		return {
			ready: () => {
				arrive();
				return begin.promise;
			},
			inTurn: (work) => {
				const mine = this.last.then(work);
				this.last = mine.catch(() => {});
				return mine;
			},
			leave: arrive,
		};
	}
}
