// Which lanes that wait are told of again. Every worker looks for lanes that nobody was told of; most of those that wait were, and wait because all workers are
// busy. So a lane is told of less and less often by each of them.

/** Looks between two times that a lane is told of, at most. */
const LONGEST = 32;

interface Waiting {
	/** Looks until it is told of again. */
	left: number;
	pause: number;
}

export class Reminders {
	/** Run → lane. */
	private readonly runs = new Map<string, Map<string, Waiting>>();

	/** Those of the waiting lanes of a run that are to be told of now. Called at every look. */
	due(run: string, lanes: readonly string[]): readonly string[] {
		const before = this.runs.get(run);
		const now = new Map(lanes.map((lane) => [lane, before?.get(lane) ?? { left: 0, pause: 1 }]));
		if (now.size > 0) this.runs.set(run, now);
		else this.runs.delete(run);
		return [...now].filter(([, waiting]) => isDue(waiting)).map(([lane]) => lane);
	}
}

function isDue(waiting: Waiting): boolean {
	if (waiting.left > 0) {
		waiting.left--;
		return false;
	}
	waiting.left = waiting.pause;
	waiting.pause = Math.min(waiting.pause * 2, LONGEST);
	return true;
}
