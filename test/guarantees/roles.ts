// Who may have a session of a step.
import type { Definition } from "../../src/core/definition.ts";

export function rolesOf({ types }: Definition, name: string): readonly string[] {
	const type = types[name];
	if (type?.members) return type.members.map((member) => member.role);
	if (type?.loop) return Object.values(type.loop.roles).map((one) => one.role);
	return type?.role === undefined ? [] : [type.role];
}
