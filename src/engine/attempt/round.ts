// The members of a gate share a tree. Nobody starts before all have noted what it is like, or one would take for the beginning what
// another has done already; and their ends are looked at one after the other, or two would put the tree back at the same time.

export interface Seat {
	/** All are there. */
	ready(): Promise<void>;
	inTurn<T>(work: () => Promise<T>): Promise<T>;
	/** Nobody waits for this one any longer. */
	leave(): void;
}

export class Round {
	private missing: number;
	private readonly begin = Promise.withResolvers<void>();
	private last: Promise<unknown> = Promise.resolve();

	constructor(members: number) {
		this.missing = members;
	}

	seat(): Seat {
		let arrived = false;
		const arrive = (): void => {
			if (arrived) return;
			arrived = true;
			this.missing--;
			if (this.missing <= 0) this.begin.resolve();
		};
		return {
			ready: () => {
				arrive();
				return this.begin.promise;
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
