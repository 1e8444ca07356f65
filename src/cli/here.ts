// `pawl` without arguments: what can be done next in this folder.
import { nextHere } from "../runs/here.ts";
import type { Context } from "./context.ts";
import { fold } from "./text/columns.ts";
import { flat, paint, wantsColor } from "./text/text.ts";

export async function here(c: Context): Promise<void> {
	const color = paint(wantsColor(c.env, c.outIsTty));
	for (const { text, command } of await nextHere(c)) c.out(`${[...fold(flat(text), c.width, 0), `  ${color.bold(command)}`].join("\n")}\n`);
	c.out(`\nall commands\n  ${color.bold("pawl --help")}\n`);
}
