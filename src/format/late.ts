// Code that is imported when it is first needed: most commands need no format at all, and must start as fast as Node itself.
import type { Event } from "../core/event.ts";
import type { RunState } from "../core/model.ts";
import type { ControlFiles, Keeper, Projection } from "../format.ts";

export function late<A extends readonly unknown[], R>(load: () => Promise<(...given: A) => Promise<R>>): (...given: A) => Promise<R> {
	return async (...given) => (await load())(...given);
}

export const lateKeeper = (load: () => Promise<Keeper>): Keeper => ({
	before: async (...given) => (await load()).before?.(...given),
	after: async (...given) => (await (await load()).after?.(...given)) ?? {},
	undone: async (...given) => (await load()).undone?.(...given),
});

export const lateControlFiles = (load: () => Promise<ControlFiles>): ControlFiles => ({
	look: async (...given) => (await load()).look(...given),
	clear: async (...given) => (await load()).clear(...given),
});

/** Buffers events until the first write. `files`: those of the projection. */
export function lateProjection(load: () => Promise<Projection>, files: readonly string[] = []): Projection {
	const waiting: (readonly [event: Event, state: RunState])[] = [];
	let loaded: Projection | null = null;
	return {
		files,
		apply(event, state) {
			if (loaded === null) waiting.push([event, state]);
			else loaded.apply(event, state);
		},
		get dirty() {
			return loaded?.dirty ?? waiting.length > 0;
		},
		get bytes() {
			return loaded?.bytes ?? 0;
		},
		async write() {
			loaded ??= await load();
			for (const [event, state] of waiting.splice(0)) loaded.apply(event, state);
			if (loaded.dirty) await loaded.write();
		},
	};
}
