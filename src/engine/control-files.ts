// The control files that a definition names (`inboxes`): looked at one after the other; each message is fed to the run once, then cleared.
// It is committed first: after a crash its id is known, so it is only cleared.
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

	/** One look at all of them. A look that is under way is waited for, then a new one is made: it may have begun too early. */
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
			// A message that was taken before changes nothing: only its clearing was missed.
			await this.feed({ type: "message", at: parts.clock.now(), inbox, id: found.id, message: found.message });
			parts.crashPoint?.("message taken");
			await files.clear({ ...context, state: run.state }, found);
		}
	}
}
