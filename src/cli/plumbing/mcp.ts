// pawl mcp: gives an agent tools during its attempt, instead of files and lines of text. The agent's own CLI starts it, in the
// environment of the attempt; the code for the protocol is loaded only then.
import { Command } from "commander";
import { openDesk } from "../../runs/attempt/caller.ts";
import type { Context } from "../context.ts";

export function command(c: Context): Command {
	return new Command("pawl mcp")
		.description(
			"an MCP server on stdin and stdout for the agent of a step, with the tools report, edit_workflow, note, learn and read_story",
		)
		.action(async () => {
			const desk = openDesk(c);
			const { serve } = await import("../../mcp/server.ts");
			await serve(desk, c.services.version);
		});
}
