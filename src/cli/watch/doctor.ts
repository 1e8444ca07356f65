// pawl doctor
import { Command } from "commander";
import { type Examined, examine, problemsOf, prune } from "../../runs/doctor/doctor.ts";
import type { Program } from "../../runs/doctor/machine.ts";
import { type Context, EXIT } from "../context.ts";
import { bytesText } from "../text/bytes.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";
import { paint, wantsColor } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl doctor")
		.description(
			"find missing parts and leftovers of earlier runs, and with --db what is wrong with a database; changes nothing without --prune",
		)
		.option("--prune", "remove worktrees that no unfinished run needs; branches and backups stay")
		.option("--json", "as one JSON document")
		.action(async (flags: { prune?: boolean; json?: boolean }) => {
			const found = await examine(c);
			const pruned = flags.prune ? await prune(found) : [];
			const problems = problemsOf(found);
			if (problems.length > 0) c.exit(EXIT.failed);
			const { repository, ...rest } = found;
			if (flags.json) return c.out(document({ pawl: c.services.version, ...rest, root: repository?.root ?? null, pruned, problems }));
			print(c, found, pruned, problems);
		});
}

function sandboxText({ configured, problem, bwrap, runtime }: Examined["sandbox"]): string {
	const there = [bwrap === null ? "bwrap works" : bwrap, runtime === null ? "no docker or podman" : `${runtime} is there, untried`].join(
		"; ",
	);
	if (configured === null) return `none in pawl.yml (${there})`;
	return problem === null ? `${configured}, works` : `${configured}, does not work (${there})`;
}

function print(c: Context, found: Examined, pruned: readonly string[], problems: readonly string[]): void {
	const color = paint(wantsColor(c.env, c.outIsTty));
	const said = (p: Program): string => (p.path === null ? "not found" : `${p.version ?? "found"}, ${p.path}`);
	const rows = [
		["pawl", c.services.version],
		["node", found.node],
		["system", found.system],
		["git", said(found.git)],
		["isolation", found.isolation === "none" ? "none: what an agent leaves running is looked for and ended, less surely" : found.isolation],
		["sandbox", sandboxText(found.sandbox)],
		...found.agents.map((agent) => [agent.name, [said(agent), agent.loggedIn ?? []].flat().join(", ")]),
		["repository", found.repository?.root ?? "none here"],
		...(found.userConfig === null ? [] : [["your pawl.yml", found.userConfig]]),
	];
	c.out(`${fitted(rows, Math.max(c.width, 60), "")}\n`);
	if (found.lacks.length > 0) c.out(`\n${color.bold("this system")}\n${found.lacks.map((text) => `  ${text}\n`).join("")}`);
	const hints = found.agents.flatMap((agent) => agent.hints.map((hint) => `  ${agent.name}: ${hint}\n`));
	if (hints.length > 0) c.out(`\n${color.bold("agents")}\n${hints.join("")}`);
	const database = found.database.filter(({ level }) => level !== "problem");
	const told = database.map(({ about, level, text }) => `  ${about}: ${level === "warning" ? color.yellow(`warning: ${text}`) : text}\n`);
	if (told.length > 0) c.out(`\n${color.bold("database")}\n${told.join("")}`);
	if (found.agents.every((agent) => agent.path === null))
		c.out(
			found.configuresAgent
				? "\nnone of these is in PATH; pawl.yml names another one\n"
				: "\nno agent is in PATH; pawl.yml can name one, and --agent-command takes any command\n",
		);
	if (found.unfinished.length > 0)
		c.out(
			`\n${color.bold("unfinished runs")}\n${fitted(
				found.unfinished.map((run) => [run.id, run.status, run.title]),
				c.width,
			)}\n`,
		);
	const left = found.strays.filter((stray) => !pruned.includes(stray.path));
	if (pruned.length > 0) c.out(`\n${color.bold("removed")}\n${pruned.map((path) => `  ${path}`).join("\n")}\n`);
	if (left.length > 0) {
		c.out(
			`\n${color.bold("worktrees that no unfinished run needs")}\n${left.map((stray) => `  ${stray.path}  ${bytesText(stray.bytes)}`).join("\n")}\n`,
		);
		if (left.some((stray) => stray.slot !== null)) c.out("remove them with: pawl doctor --prune\n");
	}
	for (const problem of problems) c.err(`pawl: ${problem}\n`);
	if (problems.length === 0) c.out("\nnothing that pawl needs is missing\n");
}
