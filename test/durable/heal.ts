// What a person does after a crash: types `pawl resume`, or what pawl advises, until the run is over.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { alive, atEnd, journalOf, midway, type Outcome, outcomeOf, projectOf } from "./checks.ts";
import { type Ended, pawl, type Site } from "./site.ts";

const MOST = 6;
/** What a killed pawl started may take this long to be gone (I11): a moment, and seconds on a machine that is busy with other things. */
export const GRACE_MS = 20_000;

/** The run as it comes out when nobody disturbs it. */
export async function undisturbed(site: Site): Promise<Outcome> {
	const ended = await pawl(site, site.args);
	if (ended.code !== 0) throw new Error(`${site.workflow}, undisturbed, ended with ${ended.code}: ${ended.err.slice(-2000)}`);
	return outcomeOf(site);
}

export interface HealOptions {
	/** Derived files are whole from the start. */
	readonly wholeBefore?: boolean;
	/** pawl may ask a person: after an error of the disk, never after a crash. */
	readonly mayAsk?: boolean;
}

/** Goes on until it is over, and says what does not hold on the way and afterwards. */
export async function heal(site: Site, expected: Outcome, { wholeBefore = true, mayAsk = false }: HealOptions = {}): Promise<string[]> {
	for (const end = performance.now() + GRACE_MS; alive(site).length > 0 && performance.now() < end; ) await wait(20);
	const wrong = [...alive(site).map(({ command }) => `I11: alive after pawl was killed: ${command}`)];
	if (wholeBefore) wrong.push(...midway(site));
	let last: Ended | null = null;
	for (let round = 0; round < MOST && wrong.length === 0; round++) {
		const args = next(site, last, mayAsk);
		if (args === null) return [...wrong, ...atEnd(site, expected, mayAsk)];
		last = await pawl(site, args);
		if (last.late) wrong.push(`I17: pawl ${args.join(" ")} did not end`);
		// S-52: it names the checkpoint or says to move the file away, which comes next.
		if (!last.err.includes("agent-state.json cannot be used")) wrong.push(...midway(site));
	}
	if (wrong.length === 0) wrong.push(...atEnd(site, expected, mayAsk));
	return wrong.length === 0 ? wrong : [...wrong, `the last pawl (${last?.code}) said: ${last?.err.slice(-1200)}`];
}

/** null when nothing is left to do. */
export function next(site: Site, last: Ended | null, mayAsk: boolean): readonly string[] | null {
	const found = journalOf(site);
	if (found === null) return site.args;
	// One resume at least: a run that was killed when it was over may still have something to clear away.
	const isUnnamed = last?.err.includes("name the one you mean") ?? false;
	if (found.state.status === "completed" && found.open === 0 && last !== null && !isUnnamed) return null;
	if (site.workflow === "gated" && last !== null) return anew(site);
	if (last?.err.includes("agent-state.json cannot be used")) rmSync(join(site.cwd, ".claude", "agent-state.json"), { force: true });
	// A loss of power may take the record of who committed: then pawl changes nothing in the user's own tree, and advises this.
	const reset = /pawl cannot tell which: .*\(git reset --hard ([0-9a-f]+)\)/.exec(last?.err ?? "")?.[1];
	if (reset !== undefined) execFileSync("git", ["reset", "-q", "--hard", reset], { cwd: site.cwd, env: { ...site.env } });
	// Where a crash came before it was noted which run is the latest here, pawl asks for its name.
	const named = isUnnamed ? [found.run] : [];
	if (mayAsk && found.state.status === "waiting" && last?.code === 3) return ["retry", found.run];
	return found.state.status === "failed" && found.open === 0 ? ["retry", ...(named.length > 0 ? named : ["latest"])] : ["resume", ...named];
}

/** As the refused resume of a `gated` run advises. */
function anew(site: Site): readonly string[] {
	const git = (...args: string[]) =>
		execFileSync("git", args, { cwd: projectOf(site), env: { ...site.env }, stdio: ["ignore", "ignore", "ignore"] });
	const branch = "feature/gal-39";
	git("worktree", "remove", "--force", site.cwd);
	git("branch", "-D", branch);
	git("worktree", "add", "-q", "-b", branch, join(site.root, "worktree"), "main");
	return site.args;
}
