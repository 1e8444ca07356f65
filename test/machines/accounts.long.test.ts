// Accounts from outside: two stories at work, one seat. The worker and the person have roles of their own in the database.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { git, type Site, site, until } from "../support/machines.ts";
import { asked, withoutPostgres } from "../support/postgres.ts";

interface Listed {
	readonly account: string;
	readonly max: number | null;
	readonly in_use: number;
	readonly waiting: number;
	readonly sessions: readonly { readonly story: string | null; readonly worker: string; readonly waits: boolean }[];
}

const accountsOf = async (s: Site): Promise<Listed[]> => JSON.parse((await s.pawl("accounts", "--json").done).stdout) as Listed[];

describe("accounts", { skip: withoutPostgres }, () => {
	test("A7 a session waits for a seat of its account and says so, a person sees who has it, and nothing is held up for good", async () => {
		const s = await site("US-1", "US-2");
		mkdirSync(s.wait);
		const agent = `agents: {mine: {type: command, command: ${join(s.me, "agent.sh")}, account: team}}`;
		writeFileSync(join(s.me, "pawl.yml"), `env: [WAIT]\n${agent}\n`);
		git(s.me, "commit", "-qam", "an account");
		git(s.me, "push", "-q", s.shared, "main");
		await s.useRoles();
		const set = await s.pawl("accounts", "set", "team", "--max", "1").done;
		assert.equal(set.code, 0, set.all);
		assert.match(set.stdout, /^team +0 of 1 in use/);
		// Somebody met a limit before.
		const limit = () => asked(s.url, "UPDATE pawl.accounts SET limited_until = now() + interval '1 hour', limited_by = 'build7'");
		const clear = async () => s.pawl("accounts", "clear", "team").done;
		await limit();
		const worker = s.worker("a");
		const run = s.pawl("run", "dynamic", "--prd", "prd.json", "--agents", "2", "--agent", "mine");
		await until("a session that is held", () => /account team is at its usage limit until .* \(build7 met it\)/.test(run.said()));
		assert.equal((await clear()).code, 0);
		await until("a session that waits", () => /waits for a seat of account team \(1 of 1 in use\)/.test(run.said()));
		await until("coding", () => s.begun().length > 0);
		const [team] = (await accountsOf(s)).filter(({ account }) => account === "team");
		assert.deepEqual([team?.max, team?.in_use, s.begun().length], [1, 1, 1]);
		assert.deepEqual(
			team?.sessions.filter(({ waits }) => !waits).map(({ story }) => story),
			s.begun(),
			"who has the seat",
		);
		const lifted = await s.pawl("accounts", "set", "team", "--max", "none", "--json").done;
		assert.equal((JSON.parse(lifted.stdout) as Listed[])[0]?.max, null);
		writeFileSync(join(s.wait, "go"), "");
		const { code, all } = await run.done;
		assert.equal(code, 0, `${all}\n${worker.said()}`);
		assert.deepEqual(s.landed().sort(), s.stories);
		assert.deepEqual(
			(await accountsOf(s)).map(({ in_use, waiting }) => [in_use, waiting]),
			[[0, 0]],
		);
		const authors = await asked(s.url, "SELECT DISTINCT event, committed_by AS by FROM pawl.events");
		const by = (event: string) => authors.filter((one) => one["event"] === event).map((one) => String(one["by"]).replace(/.*_/, ""));
		assert.deepEqual([by("run_created"), by("story_completed")], [["person"], ["worker"]]);
		const found = JSON.parse((await s.pawl("doctor", "--json").done).stdout) as {
			database: { about: string; level: string; text: string }[];
		};
		assert.deepEqual(
			found.database.filter(({ level }) => level === "problem"),
			[],
		);
		assert.match(found.database.find(({ about }) => about === "rights")?.text ?? "", /may decide as a person/);
		assert.match((await clear()).stderr, /account team is at no usage limit/);
		await limit();
		git(s.me, "fetch", "-q", s.shared, "refs/*:refs/remotes/shared/*");
		const retro = await s.pawl("retro", "--agent", "mine").done;
		assert.match(retro.stderr, /account team is at its usage limit until .* \(build7 met it\)/);
		assert.match((await s.pawl("accounts").done).stdout, /^team +0 in use +at its usage limit until .* \(build7 met it\)/);
		assert.match((await clear()).stdout, /^team +0 in use *$/m);
		worker.child.kill("SIGTERM");
		assert.equal((await worker.done).code, 0);
	});
});
