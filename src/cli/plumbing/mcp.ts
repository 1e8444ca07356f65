// pawl mcp: gives an agent tools during its attempt, instead of files and lines of text. The agent's own CLI starts it, in the
// environment of the attempt; the code for the protocol is loaded only then. pawl mcp serve: the runs of a repository, for any other agent.
import { resolve } from "node:path";
import { Command } from "commander";
import { openDesk } from "../../runs/attempt/caller.ts";
import type { Context } from "../context.ts";

export function command(c: Context): Command {
	const mcp = new Command("pawl mcp")
		.description(
			"an MCP server on stdin and stdout for the agent of a step, with the tools report, edit_workflow, note, learn and read_story",
		)
		.action(async () => {
			const desk = openDesk(c);
			const { serve } = await import("../../mcp/server.ts");
			await serve(desk, c.services.version);
		});
	mcp
		.command("serve")
		.description("an MCP server on stdin and stdout with which another agent starts, watches and steers the runs of a repository")
		.option("--repo <folder>", "the repository (default: that of the current folder)")
		.action(async ({ repo }: { readonly repo?: string }) => {
			const { serveRuns } = await import("../../mcp/operator.ts");
			await serveRuns({ ...c, cwd: resolve(c.cwd, repo ?? "."), how: "mcp" });
		});
	return mcp;
}
