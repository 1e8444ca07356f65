// The commits that somebody else put on the branch of a checkout while a run works there. Records them when it finds them, so
// that pawl never folds them into its own commits.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Ledger {
	readonly branch: string;
	/** How much of the log of the branch has been read. */
	readonly log: number;
	readonly commits: readonly string[];
	/** Commits that came while a session ran that pawl did not start: they may be the session's or a person's. */
	readonly unclear?: readonly string[];
}

const MOST = 1000;

export class OthersCommits {
	private readonly file: string;
	private readonly branch: string;

	constructor(gitDir: string, branch: string) {
		this.file = join(gitDir, "pawl", "others.json");
		this.branch = branch;
	}

	/** null before the first look. */
	get log(): number | null {
		return this.read()?.log ?? null;
	}

	get commits(): readonly string[] {
		return this.read()?.commits ?? [];
	}

	get unclear(): readonly string[] {
		return this.read()?.unclear ?? [];
	}

	/** All of the log up to here is known. */
	note(log: number, commits: readonly string[], unclear: readonly string[] = []): void {
		const before = this.read();
		if (before?.log === log && commits.length === 0 && unclear.length === 0) return;
		const all = (known: readonly string[] = [], more: readonly string[]) => [...new Set([...known, ...more])].slice(-MOST);
		mkdirSync(dirname(this.file), { recursive: true });
		const ledger: Ledger = { branch: this.branch, log, commits: all(before?.commits, commits), unclear: all(before?.unclear, unclear) };
		writeFileSync(this.file, JSON.stringify(ledger));
	}

	private read(): Ledger | null {
		try {
			const found = JSON.parse(readFileSync(this.file, "utf8")) as Ledger | null;
			return found?.branch === this.branch ? found : null;
		} catch {
			return null;
		}
	}
}
