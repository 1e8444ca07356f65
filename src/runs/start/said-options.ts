// The options of a run as programs say them, which name a choice once where a command line repeats a flag.
import type { Wish } from "../../core/assign/assignment.ts";
import type { StartOptions } from "./start-options.ts";

/** For everything, or by step type and role. */
type Choice = string | Readonly<Record<string, string>>;

/** `undefined` is as good as nothing. */
export type SaidOptions = {
	readonly [K in Exclude<keyof StartOptions, "agent" | "model" | "effort" | "only" | "role">]?: StartOptions[K] | undefined;
} & {
	readonly agent?: Choice | undefined;
	readonly model?: Choice | undefined;
	readonly effort?: Choice | undefined;
	/** Role → AGENT or AGENT:MODEL. */
	readonly role?: Readonly<Record<string, string>> | undefined;
};

export function startOptionsOf({ agent, model, effort, role, ...others }: SaidOptions): StartOptions {
	const roles = role === undefined ? {} : { role: Object.fromEntries(Object.entries(role).map(([name, text]) => [name, agentOf(text)])) };
	const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
	return { ...given, ...chosen({ agent, model, effort }), ...roles };
}

function chosen(said: Pick<SaidOptions, "agent" | "model" | "effort">): Pick<StartOptions, "agent" | "model" | "effort" | "only"> {
	const only: Record<string, Wish> = {};
	const all: Record<string, string> = {};
	for (const key of ["agent", "model", "effort"] as const) {
		const choice = said[key];
		if (typeof choice === "string") all[key] = choice;
		else for (const [name, value] of Object.entries(choice ?? {})) only[name] = { ...only[name], [key]: value };
	}
	return { ...all, ...(Object.keys(only).length > 0 ? { only } : {}) };
}

function agentOf(text: string): { readonly agent: string; readonly model: string | null } {
	const [agent = "", ...model] = text.split(":");
	return { agent, model: model.length === 0 ? null : model.join(":") };
}
