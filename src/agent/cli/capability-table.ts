// Renders the capability table of docs/agents.md from the adapters. A test compares the two.
import type { Adapter, Capabilities } from "./adapter.ts";

export function capabilityTable(adapters: readonly Adapter[]): string {
	const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
	const rows = Object.keys(adapters[0]?.capabilities ?? {}) as (keyof Capabilities)[];
	return [
		line(["", ...adapters.map((each) => each.name)]),
		line(["---", ...adapters.map(() => "---")]),
		line(["tested version", ...adapters.map((each) => each.tested)]),
		...rows.map((row) => line([row, ...adapters.map((each) => each.capabilities[row])])),
	].join("");
}
