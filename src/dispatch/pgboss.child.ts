// A worker for tests: node pgboss.child.ts URL. It says which lane it has, stays there, and says when it lost it.
import { writeSync } from "node:fs";
import { pgBossDispatch } from "./pgboss.ts";

const say = (line: string) => writeSync(1, `${line}\n`);
process.stdin.on("end", () => process.exit()).resume();
const dispatch = await pgBossDispatch({ url: process.argv[2] ?? "", heartbeatSeconds: 10 });
await dispatch.work({ lanes: 1 }, ({ lane, lost }) => {
	say(`took ${lane.run} ${lane.scope}`);
	return new Promise((done) => {
		lost.addEventListener("abort", () => {
			say("lost");
			done("over");
		});
	});
});
say("ready");
