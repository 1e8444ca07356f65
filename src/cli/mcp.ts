// pawl mcp: what an agent can do during its attempt by tools instead of files and lines of text. Started by the agent's own CLI,
// in the environment of the attempt; everything that speaks the protocol is loaded only then.
import { Command } from "commander";
import { INBOX } from "../engine/attempt/report-box.ts";
import { CliError, type Context } from "./context.ts";

export function command(c: Context): Command {
	return new Command("pawl mcp")
		.description("an MCP server on stdin and stdout, for the agent of a step: report, edit_workflow, note, learn, read_story")
		.action(async () => {
			if ((c.env[INBOX] ?? "") === "")
				throw new CliError(`pawl mcp works inside an attempt only: an agent that pawl started starts it, and ${INBOX} says whose it is`);
			const { serve } = await import("./mcp/server.ts");
			await serve(c);
		});
}
