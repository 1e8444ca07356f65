// A day in the user's own tree, with real git and real processes: a cost limit is reached, a person commits while a session is at work, the
// account runs out of credit. Each way of driving a run has one; several guarantees look at it.
import { commit, exit, type FakeAgent, fakeAgent, quote, usage, write } from "./fake-agent.ts";
import { type Ended, pawl } from "./pawl.ts";
import { driveReal, pullReal, type RealDriver, type RealRun } from "./real-driver.ts";
import { git, put, read, repository, scratchFolder } from "./scratch.ts";
import { smallWorkflow } from "./small-workflow.ts";

const NO_CREDIT = [
	{ type: "system", subtype: "init", session_id: "s", tools: [], model: "m" },
	{
		type: "result",
		subtype: "success",
		is_error: true,
		api_error_status: 400,
		result: "Credit balance is too low",
		session_id: "s",
		num_turns: 1,
		usage: {},
	},
]
	.map((line) => `printf '%s\\n' ${quote(JSON.stringify(line))}`)
	.join("; ");
const STAYS = 'mkdir -p "$home/there"; while [ ! -e "$home/go" ]; do sleep 0.05; done';

export interface TreeDay {
	readonly repo: string;
	readonly agent: FakeAgent;
	/** How the start ended, at the limit. */
	readonly limited: { readonly said: string; readonly code: number | null };
	/** After the person's commit and the failure of the session; pulled: the end. */
	readonly failed: string;
	/** How the account without credit ended it; null: pulled. */
	readonly credit: Ended | null;
	readonly last: string;
	readonly status: string;
}

export async function treeDay(driver: RealDriver): Promise<TreeDay> {
	const repo = repository();
	// Claims say what a step is about in the prompt, not in the environment.
	const workflow = smallWorkflow();
	for (const type of ["look", "work"])
		put(workflow.replace(/workflow\.yml$/, "prompts"), { [`${type}.md`]: `Type: ${type}\n{{story_description}}\n` });
	const works = [write("work.txt", "work\n"), commit("work"), usage({ cost_usd: 1, input_tokens: 1, output_tokens: 1 })];
	const agent = fakeAgent([
		{ when: { type: "look", nth: 1 }, do: [usage({ cost_usd: 9, input_tokens: 1, output_tokens: 1 })] },
		...(driver === "pulled"
			? []
			: [
					{ when: { type: "work", nth: 1 }, do: [write("half.txt", "half\n"), commit("half of it"), STAYS, exit(3)] },
					{ when: { type: "work", nth: 2 }, do: [NO_CREDIT, exit(1)] },
				]),
		{ when: { type: "work" }, do: works },
	]);
	const where = { cwd: repo, env: { HOME: scratchFolder("home") } };
	const run: RealRun = {
		...{ ...where, agent, start: [workflow, "Add a file", "--max-cost", "5"], roles: ["agent"], at: "there" },
		begun: true,
		meanwhile: () => {
			put(repo, { "mine.txt": "mine\n" });
			git(repo, "add", "mine.txt");
			git(repo, "commit", "-q", "-m", "by a person", "--", "mine.txt");
		},
	};
	const limited =
		driver === "pulled" ? await pullReal(run, (await pawl(["workflow", "run", ...run.start], where)).all) : await started(run, agent);
	await pawl(["extend", "latest", "--max-cost", "100", "--allow-unknown-cost"], where);
	const failed = await driveReal(driver, run);
	const retried = driver === "run" ? await pawl(["retry"], where) : null;
	// A killed session is tried again by itself, so the resumed run has come to its third session already.
	const credit = driver === "pulled" ? null : (retried ?? { ...NOTHING, all: failed.said, code: failed.code });
	const last = driver === "pulled" ? "" : (await pawl(["resume"], where)).all;
	const status = (await pawl(["status", "--json"], where)).stdout;
	return { repo, agent, limited, failed: failed.said, credit, last, status };
}

const NOTHING = { code: null, signal: null, stdout: "", stderr: "", all: "" } as const;

async function started(run: RealRun, agent: FakeAgent): Promise<{ said: string; code: number | null }> {
	const ended = await pawl(["run", ...run.start, "--agent-command", agent.command], run);
	return { said: ended.all, code: ended.code };
}

export const mine = ({ repo }: TreeDay): string => read(repo, "mine.txt");
