// Plays a demo: makes its repository, starts the run, decides what the run asks a person for, and says what happened.
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { packagePath } from "../../package-root.ts";
import type { Services } from "../../runs/context.ts";
import { lookAt } from "../../runs/open.ts";
import { makePawlFolder } from "../../runs/repository.ts";
import { prepare } from "../../runs/start/prepare.ts";
import { startRun } from "../../runs/start/start.ts";
import type { Context } from "../context.ts";
import { follow } from "../run/follow.ts";
import { paint, wantsColor } from "../text/text.ts";
import type { Demo } from "./description.ts";
import { folderForge, PULL_REQUEST } from "./forge.ts";
import { answers } from "./person.ts";
import { addRemote, makeRepository } from "./repository.ts";
import { aboutText, happenedText, lookText, pullRequestText } from "./text.ts";

export interface PlayFlags {
	/** Without the pauses of the script. */
	readonly fast: boolean;
	readonly json: boolean;
}

/** pawl's exit code. */
export async function play(c: Context, demo: Demo, { fast, json }: PlayFlags): Promise<number> {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-demo-")));
	makeRepository(folder, demo.files, demo.branch);
	const pawl = ownCommand(c.env);
	if (json) c.err(`${JSON.stringify({ ts: new Date(c.now()).toISOString(), event: "demo_started", folder })}\n`);
	else c.err(aboutText(demo, folder, paint(wantsColor(c.env, c.errIsTty))));
	const here = contextIn(c, demo, folder);
	const script = fast ? withoutPauses(demo.script, folder) : scriptFile(demo.script);
	const prepared = await prepare(here, demo.workflow, demo.given, { ...demo.options, script });
	// Its forge and its agent exist only here.
	const flags = { json, quiet: false, here: true, answer: answers(c, demo.person ?? [], { fast, json }) };
	const code = await follow(here, flags, async (observer) => (await startRun(here, prepared, observer)).ended);
	if (!json)
		await lookAt(here, "latest", ({ events }) => {
			const color = paint(wantsColor(c.env, c.outIsTty));
			c.out(happenedText(demo.happenings(events), c.width, color));
			if (demo.pullRequest) c.out(pullRequestText(pullRequestIn(demo, folder), c.width, color));
			c.out(lookText(demo, folder, pawl, color));
		});
	return code;
}

/** The same terminal and services in the demo's folder, where the only forge, if any, is a folder. */
function contextIn(c: Context, demo: Demo, folder: string): Context {
	// Commands of a demo may be Node scripts, and the Node that runs pawl need not be in the PATH.
	const env = { ...c.env, PATH: [c.env["PATH"], dirname(process.execPath)].filter(Boolean).join(delimiter) };
	const services = { ...c.services, makeAgent: remembered(c.services.makeAgent) };
	const here = { ...c, env, cwd: folder, services };
	if (!demo.forge) return here;
	const forge = forgeOf(folder);
	addRemote(folder, join(forge, "greet.git"));
	return { ...here, services: { ...services, forges: [folderForge(forge)] } };
}

/** One agent for the whole demo: a scripted agent counts its calls, also when the run continues after a person's answer. */
function remembered(make: Services["makeAgent"]): Services["makeAgent"] {
	const made = new Map<string, ReturnType<Services["makeAgent"]>>();
	return (spec, config, root) => {
		const key = JSON.stringify(spec);
		const agent = made.get(key) ?? make(spec, config, root);
		made.set(key, agent);
		return agent;
	};
}

const forgeOf = (folder: string): string => `${folder}-forge`;

/** The text of the pull request as the forge has it, or as pawl left it for whoever opens it. */
function pullRequestIn(demo: Demo, folder: string): string {
	const file = demo.forge ? join(forgeOf(folder), PULL_REQUEST) : join(folder, ".pawl", "latest", "pull-request.md");
	return existsSync(file) ? readFileSync(file, "utf8") : "";
}

const scriptFile = (script: string): string => packagePath("workflows", script);

/** A copy of the script that never pauses. It lies where git does not look. */
function withoutPauses(script: string, folder: string): string {
	makePawlFolder(folder);
	const copy = join(folder, ".pawl", "demo.yml");
	writeFileSync(copy, readFileSync(scriptFile(script), "utf8").replaceAll(/^ *- wait: \w+\n/gm, ""));
	return copy;
}

/** `npm run demo` also works in a checkout whose pawl is not in the PATH yet. */
function ownCommand(env: NodeJS.ProcessEnv): string {
	const installed = (env["PATH"] ?? "").split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, "pawl")));
	return installed ? "pawl" : packagePath("bin", "pawl");
}
