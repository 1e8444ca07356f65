// The tables of docs/agents/faults.md, from the cases that the real CLIs are held to.
import { CLIS } from "./clis.ts";
import { FAULTS, FOLLOWS, SPENT, TOLD } from "./faults.ts";

const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
	[row(...head), row(...head.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n");

export const faultTable = (): string =>
	table(
		["the server", ...CLIS.map(({ name }) => name)],
		FAULTS.map(({ server, ends }) => [server, ...CLIS.map(({ name }) => `\`${ends[name] ?? "?"}\``)]),
	);

export const spentTable = (): string =>
	table(
		["after one good answer", ...CLIS.map(({ name }) => name)],
		SPENT.map(({ server, ends, told }) => [
			server,
			...CLIS.map(({ name }) => `\`${ends[name] ?? "?"}\`: ${TOLD[told[name] ?? "unknown"]}`),
		]),
	);

export const followTable = (): string =>
	table(
		["outcome", "the run", "exit code"],
		Object.entries(FOLLOWS).map(([ending, { run, code }]) => [`\`${ending}\``, run, String(code)]),
	);
