// pawl ui: serves the dashboard until it is ended.
import { spawn } from "node:child_process";
import { Command, InvalidArgumentError } from "commander";
import { serve } from "../../server/serve.ts";
import { type Context, EXIT } from "../context.ts";

interface Flags {
	readonly port?: number;
	readonly open: boolean;
	readonly json?: boolean;
}

export function command(c: Context): Command {
	return new Command("pawl ui")
		.description("serve the dashboard of this repository's runs on this machine, until you press Ctrl-C")
		.option("--port <n>", "the port (default: a free one)", port)
		.option("--no-open", "do not open a browser")
		.option("--json", "print the address as JSON: url, token, port")
		.action(async ({ port: wanted = 0, open, json = false }: Flags) => {
			// At once, whatever is open: nothing here has to be finished.
			process.on("SIGINT", () => process.exit(EXIT.interrupted));
			process.on("SIGTERM", () => process.exit(EXIT.terminated));
			const running = await serve({ ...c, how: "ui" }, wanted);
			const { url, token, port: at } = running;
			c.out(json ? `${JSON.stringify({ url, token, port: at })}\n` : `${url}\n`);
			if (!running.hasPage) c.warn("the page is not built: run npm run build, then start pawl ui again (the API works without it)");
			if (open && !json && c.outIsTty) openBrowser(running.onceUrl());
			await new Promise(() => {});
		});
}

function port(text: string): number {
	const n = Number(text);
	if (!/^\d{1,5}$/.test(text) || n > 65_535) throw new InvalidArgumentError("it must be a whole number from 0 to 65535.");
	return n;
}

/** A browser that is missing is no reason to stop: the address is printed. */
function openBrowser(url: string): void {
	const program = process.platform === "darwin" ? "open" : "xdg-open";
	spawn(program, [url], { stdio: "ignore", detached: true })
		.on("error", () => {})
		.unref();
}
