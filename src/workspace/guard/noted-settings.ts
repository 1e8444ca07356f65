// git's settings as a run recorded them at its start: kept in the git folder under a name that is a hash of them, so that pawl recognises a copy that somebody
// changed. The name is in the journal.
import { join } from "node:path";
import type { UsedSettings } from "../../workspace.ts";
import { pin, savedSettings, saveSettings } from "../git/pinned.ts";
import { differences, ledElsewhere, nameOfSettings, readSettings, type Settings } from "../git/settings.ts";
import { sharedGuard } from "./guard.ts";

export interface RepositoryPaths {
	/** The checkout that the user is in. */
	readonly top: string;
	readonly root: string;
	readonly commonDir: string;
}

export class NotedSettings {
	private readonly paths: RepositoryPaths;
	private unpin: (() => void) | null = null;
	/** The settings read last, so that a new run is not compared with itself. */
	private read: Settings | null = null;

	constructor(paths: RepositoryPaths) {
		this.paths = paths;
	}

	async note(): Promise<string> {
		this.drop();
		this.read = await readSettings(this.paths.top, this.paths.commonDir);
		const name = saveSettings(this.paths.commonDir, this.read);
		this.pin(this.read);
		return name;
	}

	async use(name: string, compare: boolean): Promise<UsedSettings> {
		const { commonDir } = this.paths;
		const saved = savedSettings(commonDir, name);
		const now = compare || saved === null ? await this.now() : null;
		if (saved === null && (now === null || nameOfSettings(now) !== name))
			return {
				problem: `what was noted of git's settings at the start of the run is gone or was changed (${join(commonDir, "pawl", "settings")}), and they are not the same any more: look at git config --list --show-origin`,
			};
		const settings = saved ?? now;
		if (settings === null) return { differ: [] };
		if (saved === null) saveSettings(commonDir, settings);
		this.pin(settings);
		const differ = now === null ? [] : differences(settings, now);
		const led = now === null ? [] : ledElsewhere(settings.local, now.local);
		if (led.length === 0) return { differ };
		return {
			problem: `the repository's configuration (${join(commonDir, "config")}) leads git to other files: ${led.join(", ")} is not as at the start of the run`,
		};
	}

	drop(): void {
		this.unpin?.();
		this.unpin = null;
	}

	private pin(settings: Settings): void {
		this.drop();
		const { root, commonDir } = this.paths;
		this.unpin = pin({ root, commonDir, putBack: () => sharedGuard(commonDir).putBackNow() }, settings);
	}

	/** The settings that everybody sees. Reading them runs nothing that they name. */
	private async now(): Promise<Settings> {
		const just = this.read;
		this.read = null;
		return just ?? readSettings(this.paths.top, this.paths.commonDir);
	}
}
