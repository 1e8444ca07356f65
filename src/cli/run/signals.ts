// What Ctrl-C and SIGTERM do while a run is driven: the first one stops the run, a second one kills its agents at once.
import type { DriveHandle } from "../../runs/drive/observer.ts";
import { EXIT } from "../context.ts";

export class Signals {
	/** pawl's exit code after a signal. */
	exit: number | null = null;
	private killed = false;

	/** Until the returned function is called. */
	watch(handle: DriveHandle, onStop: () => void): () => void {
		const listen = (signal: "SIGINT" | "SIGTERM", exit: number) => {
			const listener = () => {
				if (this.exit === null) {
					this.exit = exit;
					onStop();
					return handle.stop();
				}
				handle.kill();
				// An engine in another process tells us when it has ended. If it does not, a third signal ends the view.
				if (handle.leave === null || this.killed) process.exit(exit);
				this.killed = true;
			};
			process.on(signal, listener);
			return () => void process.off(signal, listener);
		};
		const offs = [listen("SIGINT", EXIT.interrupted), listen("SIGTERM", EXIT.terminated)];
		return () => offs.forEach((off) => off());
	}

	/** The engine, in a process of its own, got a signal from somebody else. */
	passedOn(code: number | null): void {
		if (code === EXIT.interrupted || code === EXIT.terminated) this.exit ??= code;
	}
}
