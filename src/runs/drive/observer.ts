// Who follows a run while it is driven, and what they can ask of its engine.
import type { Event } from "../../core/event.ts";
import type { RunState } from "../../core/model.ts";
import type { Estimate } from "../look/estimate.ts";

/** Follows a run, for a person or a program. */
export interface RunObserver {
	/** The engine gets a process of its own, which continues if this process ends or the observer leaves. */
	readonly apart?: boolean;
	/** The run was created; the engine has not started yet. */
	onCreated(events: readonly Event[], state: RunState, estimate: Estimate): void;
	/** The engine is about to start. Returns a follower, which learns what happens until it is closed. */
	onDriving(handle: DriveHandle): DriveView;
}

export interface DriveHandle {
	readonly run: string;
	/** Ends the running sessions and pauses the run. */
	stop(): void;
	/** Kills everything that the run has started, at once. An engine in this process needs the process to exit right afterwards. */
	kill(): void;
	/** Stops following; the run continues. null: the engine lives in this process. */
	readonly leave: (() => void) | null;
	/** Workers do the work: `stop` and `kill` only stop following. */
	readonly elsewhere?: true;
}

/** How the process of an engine ended. */
export interface EngineEnd {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	/** It could not even be started. */
	readonly problem: string | null;
}

export interface DriveView {
	/** Every commit, with the state after it. An engine in another process calls it once, without events, when it has the run. */
	onEvents(events: readonly Event[], state: RunState): void;
	onWarning(text: string): void;
	/** The process of an engine of its own has ended. `halted`: the run had halted by then, so it was not killed in the middle. */
	onEngineEnd?(end: EngineEnd, state: RunState, halted: boolean): void;
	close(): void;
}

/** Follows nothing. */
export const UNOBSERVED: RunObserver = {
	onCreated: () => {},
	onDriving: () => ({ onEvents: () => {}, onWarning: () => {}, close: () => {} }),
};
