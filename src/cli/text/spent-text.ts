// What sessions cost, for people.
import type { Spent } from "../../runs/look/spent.ts";
import { usageText } from "./text.ts";

export function spentText(spent: Spent): string {
	const said = usageText(spent);
	const unknown =
		spent.unknown === 0
			? ""
			: spent.unknown === spent.sessions
				? "cost unknown"
				: `cost of ${spent.unknown} session${spent.unknown === 1 ? "" : "s"} unknown`;
	return [said, unknown].filter((part) => part !== "").join(", ");
}
