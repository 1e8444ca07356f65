// A forge with issues whose code is loaded when it is first used: few runs open a pull request.
import type { Forge } from "../forge.ts";

export const lateForge = (name: string, load: () => Promise<Required<Forge>>): Forge => ({
	name,
	ready: async (...given) => (await load()).ready(...given),
	open: async (...given) => (await load()).open(...given),
	issue: async (...given) => (await load()).issue(...given),
});
