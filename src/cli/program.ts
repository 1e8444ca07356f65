// Finds the command, runs it, and reports its failures. Loads a command's module only when it is used.
import type { Command } from "commander";
import type { Services } from "../runs/context.ts";
import { asRefusal, Refusal } from "../runs/refusal.ts";
import { channel } from "./channel.ts";
import { commandsOf } from "./commands.ts";
import { type Context, EXIT, exitOf } from "./context.ts";

/** Where a command runs and what it prints to. */
type Place = Pick<Context, "cwd" | "env" | "out" | "err" | "input" | "self">;

/** `own`: what a caller in the same process has in the place of this process's. */
export async function main(argv: readonly string[], services: Services, own?: Place): Promise<number> {
	const { db, rest } = databaseIn(argv, (own ?? process).env);
	const c = contextOf(services, db, own);
	// It has a password in it: nothing that this process starts gets it, not even a setup command.
	if (own === undefined) delete process.env["PAWL_DB"];
	try {
		return await dispatch(c, rest);
	} catch (error) {
		return report(c, error);
	} finally {
		await c.telemetry?.close();
	}
}

/** The database that machines share: `--db URL`, which every command takes, or PAWL_DB. */
function databaseIn(
	argv: readonly string[],
	env: NodeJS.ProcessEnv,
): { readonly db: string | undefined; readonly rest: readonly string[] } {
	const at = argv.findIndex((word) => word === "--db" || word.startsWith("--db="));
	const end = argv.indexOf("--");
	if (at === -1 || (end !== -1 && end < at)) return { db: env["PAWL_DB"] || undefined, rest: argv };
	const isApart = argv[at] === "--db";
	const db = isApart ? argv[at + 1] : argv[at]?.slice("--db=".length);
	return { db: db || undefined, rest: argv.toSpliced(at, isApart ? 2 : 1) };
}

function ofThisProcess(): Place {
	return {
		cwd: process.cwd(),
		env: process.env,
		out: (text) => channel("stdout").write(text),
		err: (text) => channel("stderr").write(text),
		input: () => process.stdin,
		self: [process.execPath, ...process.execArgv, process.argv[1] ?? ""],
	};
}

function contextOf(services: Services, db: string | undefined, own = ofThisProcess()): Context {
	let exitCode: number = EXIT.ok;
	let json = false;
	const { err } = own;
	const warn = (text: string): void => err(json ? warningLine(text) : `pawl: ${text}\n`);
	return {
		...own,
		...(db === undefined ? {} : { db }),
		commands: commandsOf(services.commands),
		exit: (code) => {
			exitCode = code;
		},
		exitCode: () => exitCode,
		warnInJson: () => {
			json = true;
		},
		services,
		now: Date.now,
		telemetry: services.openTelemetry(own.env, warn) ?? undefined,
		warn,
		get outIsTty() {
			return channel("stdout").isTTY;
		},
		get errIsTty() {
			return channel("stderr").isTTY;
		},
		get width() {
			return channel("stdout").columns || channel("stderr").columns || 100;
		},
	};
}

async function dispatch(c: Context, argv: readonly string[]): Promise<number> {
	const [first] = argv;
	if (first === undefined) {
		await (await import("./here.ts")).here(c);
		// For a script that lost its arguments on the way.
		return EXIT.usage;
	}
	if (first === "--help" || first === "-h" || (first === "help" && argv.length === 1)) {
		const { overview } = await import("./help.ts");
		c.out(overview(c.commands, c.services.version));
		return EXIT.ok;
	}
	if (first === "--version" || first === "-V") {
		c.out(`${c.services.version}\n`);
		return EXIT.ok;
	}
	const named = first === "help" ? argv[1] : first;
	const entry = named !== undefined && Object.hasOwn(c.commands, named) ? c.commands[named] : undefined;
	if (entry) return parse(c, (await entry.load()).command(c), first === "help" ? ["--help"] : argv.slice(1));
	const { oneShot, notARequest } = await import("./run/one-shot.ts");
	// Before it reads the flags: the flags of a mistyped command are not flags of a request.
	const problem = first.startsWith("-") ? null : notARequest(c, first);
	if (problem !== null) throw new Refusal("invalid", problem);
	return parse(c, oneShot(c), argv);
}

async function parse(c: Context, command: Command, argv: readonly string[]): Promise<number> {
	const configure = (one: Command) => {
		one.exitOverride().configureOutput({
			writeOut: (text) => c.out(text),
			writeErr: (text) => c.err(text),
			outputError: (text, write) => write(errorText(text)),
		});
		one.showSuggestionAfterError(true);
		one.hook("preAction", (_, action) => {
			if (action.opts()["json"] === true) c.warnInJson();
		});
		for (const sub of one.commands) configure(sub);
	};
	configure(command);
	await command.parseAsync([...argv], { from: "user" });
	return c.exitCode();
}

/** One line that `--json` writes to stderr. */
const warningLine = (text: string): string => `${JSON.stringify({ ts: new Date().toISOString(), event: "warning", text })}\n`;

/** Makes the parser's errors look like all others, on one line. */
const errorText = (text: string): string =>
	`pawl: ${text
		.trim()
		.replace(/^error: /, "")
		.replaceAll(/\s*\n\s*/g, " ")}\n`;

function report(c: Context, error: unknown): number {
	if (error instanceof Error && error.name === "CommanderError")
		return (error as Error & { exitCode: number }).exitCode === 0 ? EXIT.ok : EXIT.usage;
	const refusal = asRefusal(error);
	c.err(`pawl: ${refusal.message}\n`);
	if (refusal.code === "internal" && c.env["PAWL_DEBUG"]) c.err(`${error instanceof Error ? error.stack : ""}\n`);
	return exitOf(refusal);
}
