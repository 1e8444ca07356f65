// G-04: what is put back is kept, each time under a name of its own.
import assert from "node:assert/strict";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import type { Harness } from "../../src/engine/testing/harness.suite.ts";
import { alsoIn } from "./also-in.ts";
import { retried, walk } from "./walk.ts";

walk("G-04 a writer fails twice: both halves can still be found", ({ path, isWriter }) => {
	const written: string[] = [];
	const [file] = path.change;
	return {
		play: (turn, usual) => {
			if (!isWriter(turn) || written.length === 2) return usual();
			const half = `half-${written.length + 1}-of-it`;
			written.push(half);
			turn.files.write(file.replace("mended", half), `${half}\n`);
			return fails("agent_error", "it gave up");
		},
		holds: async (h, state) => {
			if (written.length < 2 && state.status === "failed" && path.resumes !== false) await retried(h);
			assert.ok(written.length > 0);
			if (path.resumes !== false) assert.equal(written.length, 2);
			for (const half of written) assert.ok(await isKept(h, half), `${half} is lost`);
		},
	};
});

/** In a diff, in a commit of any branch or backup, or still in the tree. Of a run that machines share: where a person gets it from any of them. */
async function isKept({ site, store, clock, run, options }: Harness, text: string): Promise<boolean> {
	if (options.shared) return (await store.open(clock.now).files(run)).some(({ bytes }) => Buffer.from(bytes ?? []).includes(text));
	const commits = [...site.git.refs.values()].flatMap((tip) => [...site.git.ancestors(tip)]);
	const texts = [...site.diffs.values(), ...site.user.look().values(), ...commits.flatMap((id) => [...site.git.at(id).tree.values()])];
	return texts.some((one) => one.includes(text));
}

alsoIn("G-04", "src/engine/attempt/undisturbed.test.ts", "src/workspace/workspace.suite.ts");
