// pawl retro RUN
import { Command } from "commander";
import { money } from "../../core/money.ts";
import { type RetroView, retro } from "../../runs/retro/retro.ts";
import type { StartOptions } from "../../runs/start/start-options.ts";
import { type Context, EXIT } from "../context.ts";
import { document } from "../text/document.ts";
import { visible } from "../text/text.ts";

type Flags = Pick<StartOptions, "agent" | "agentCommand" | "script" | "model"> & { readonly json?: boolean };

export function command(c: Context): Command {
	return new Command("pawl retro")
		.description("have an agent read a finished run and write to retro.md what cost sessions and what to change")
		.argument("[run]", "an id, a unique prefix, or latest")
		.option("--agent <name>", "claude, codex, opencode, gemini, command, scripted, or a name from pawl.yml")
		.option("--agent-command <cmd>", "the command of the agent `command`, split as a shell would, run without a shell")
		.option("--script <file>", "the script of the agent `scripted`")
		.option("--model <name>", "the model, for agents that can choose")
		.option("--json", "as one JSON document")
		.action(async (name: string | undefined, { json = false, ...choice }: Flags) => {
			const { view, exit } = await untilSignal((signal) => retro(c, name, { ...choice, signal }));
			if (view === null) return c.exit(exit);
			if (json) return c.out(document(view));
			c.out(`${c.outIsTty ? visible(view.text) : view.text}\n\n`);
			c.out(`${said(view)}\n`);
		});
}

const said = ({ file, agent, cost_usd: cost }: RetroView): string => `${file} (${agent}, ${cost === null ? "cost unknown" : money(cost)})`;

/** Ctrl-C ends the session; then there is no retro. */
async function untilSignal(
	work: (signal: AbortSignal) => Promise<RetroView>,
): Promise<{ readonly view: RetroView | null; readonly exit: number }> {
	const controller = new AbortController();
	let exit: number = EXIT.ok;
	const listen = (name: "SIGINT" | "SIGTERM", code: number) => {
		const listener = (): void => {
			exit = code;
			controller.abort();
		};
		process.on(name, listener);
		return () => void process.off(name, listener);
	};
	const offs = [listen("SIGINT", EXIT.interrupted), listen("SIGTERM", EXIT.terminated)];
	try {
		return { view: await work(controller.signal), exit };
	} catch (error) {
		if (exit === EXIT.ok) throw error;
		return { view: null, exit };
	} finally {
		for (const off of offs) off();
	}
}
