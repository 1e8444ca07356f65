// Whether anything in a checkout can have changed since git looked at it, told from stats alone: if not, git need not be asked. Nobody can set
// a ctime, and whatever adds, removes or renames an entry changes the ctime of its folder. So nothing has changed if all that decides
// about git's answer (watched.ts) has the stat that it had before git looked. Whatever is out of the ordinary is left to git.
import { closeSync, openSync, statfsSync, utimesSync } from "node:fs";
import { resolve } from "node:path";
import type { IndexFile } from "../git/index-file.ts";
import type { CheckoutPaths } from "./own-index.ts";
import { ABSENT, isSame, type Stat, statOf } from "./stat.ts";
import { type AskIgnored, Watched } from "./watched.ts";

/** Local file systems, which keep the times of folders, by their number in statfs: ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs, bcachefs. */
const LOCAL = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e]);

export class Still {
	private readonly checkout: CheckoutPaths;
	private readonly watched: Watched;
	/** How what is watched was before git looked; null: it could change without a trace. */
	private known = new Map<string, Stat | null>();
	private isCertain = false;
	private isLocal: boolean | null = null;

	constructor(checkout: CheckoutPaths) {
		this.checkout = checkout;
		this.watched = new Watched(checkout);
	}

	/** Nothing has changed since before git looked. */
	get isUnchanged(): boolean {
		if (!this.isCertain) return false;
		for (const [path, stat] of this.known) if (!isSame(stat, statOf(this.at(path)))) return false;
		return true;
	}

	/** Before git looks: whatever changes from now on will not look like what is noted here. */
	note(): void {
		this.isCertain = false;
		const clock = this.known.size === 0 ? null : this.clock();
		for (const path of this.known.keys()) this.known.set(path, clock === null ? null : settled(statOf(this.at(path)), clock));
	}

	/** Git has looked, and this index holds all that it saw. */
	async looked(file: IndexFile | null, ask: AskIgnored): Promise<void> {
		const before = this.known;
		const { paths, isSure } =
			file === null || !this.canTell() ? NOTHING : await this.watched.by(file, (path) => before.get(path) ?? null, ask);
		this.known = new Map();
		this.isCertain = isSure;
		for (const path of paths) {
			const stat = before.get(path) ?? null;
			this.known.set(path, stat);
			this.isCertain &&= stat !== null;
		}
	}

	private at(path: string): string {
		return resolve(this.checkout.path, path);
	}

	private canTell(): boolean {
		this.isLocal ??= process.platform === "linux" && LOCAL.has(statfsSync(this.checkout.path).type);
		return this.isLocal;
	}

	/** What the file system gives as the time of a change now. Only a change later than an older ctime can be told from it: like git's rule for files
	 * that are as young as its index. */
	private clock(): Stat | null {
		const file = `${this.checkout.index}.clock`;
		try {
			closeSync(openSync(file, "a", 0o600));
			utimesSync(file, 0, 0);
			return statOf(file);
		} catch {
			return null;
		}
	}
}

const NOTHING = { paths: [], isSure: false };

function settled(stat: Stat | null, clock: Stat): Stat | null {
	if (stat === null || stat === ABSENT) return stat;
	return stat.dev === clock.dev && stat.ctimeNs < clock.ctimeNs ? stat : null;
}
