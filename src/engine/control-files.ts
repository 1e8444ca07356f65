// Reads the control files that a definition names (`inboxes`), one after the other. Each message is fed to the run once, then cleared.
// It is committed before it is cleared: after a crash its id is known, so it is cleared and not taken again.
import type { Input } from "../core/input.ts";
import { RUN_SCOPE } from "../core/model.ts";
import { own } from "../core/query.ts";
import type { ControlFiles } from "../format.ts";
import type { Tools } from "./tools.ts";

export class ControlFilesReader {
	private readonly tools: Tools;
	private readonly feed: (input: Input) => Promise<void>;
	private looking: Promise<void> | null = null;

	constructor(tools: Tools, feed: (input: Input) => Promise<void>) {
		this.tools = tools;
		this.feed = feed;
	}

	/** Reads all of them once. Waits for a read that is under way and then reads again, as that one may have started too early. */
	async read(): Promise<void> {
		while (this.looking !== null) await this.looking;
		const named = this.named();
		if (named.length === 0) return;
		const looking = this.each(named).finally(() => {
			this.looking = null;
		});
		this.looking = looking;
		await looking;
	}

	async idle(): Promise<void> {
		while (this.looking !== null) await this.looking.catch(() => {});
	}

	get busy(): boolean {
		return this.looking !== null;
	}

	private named(): (readonly [string, ControlFiles])[] {
		const { parts, run } = this.tools;
		return (run.state.definition.inboxes ?? []).flatMap((name) => {
			const files = own(parts.controlFiles ?? {}, name);
			return files ? [[name, files] as const] : [];
		});
	}

	private async each(named: readonly (readonly [string, ControlFiles])[]): Promise<void> {
		const { parts, run, workspaces } = this.tools;
		for (const [inbox, files] of named) {
			const workspace = await workspaces.of(run.state, RUN_SCOPE);
			const context = { workspace, sharedDir: parts.sharedDir, now: parts.clock.now };
			const found = await files.look({ ...context, state: run.state });
			if (found === null) continue;
			// A message that was taken before changes nothing; it only has to be cleared.
			await this.feed({ type: "message", at: parts.clock.now(), inbox, id: found.id, message: found.message });
			parts.crashPoint?.("message taken");
			await files.clear({ ...context, state: run.state }, found);
		}
	}
}
