// The keeper `artifacts`: git does not see the run's folder, so this compares it before and after each attempt. What a role may not write
// there is undone; what it must write is checked. Every final message is kept beside the artifacts with its time, for the summary
// and for later readers.
import { join } from "node:path";
import { typeOf } from "../../../core/query.ts";
import { textIn } from "../../../files/read.ts";
import { append } from "../../../files/write.ts";
import type { AgentAnswer, Amendment, StepContext } from "../../../format.ts";
import { fieldOf, runDirOf, withOf } from "./context.ts";
import { lookAtTests } from "./evidence.ts";
import { expectations } from "./expect.ts";
import { differing, MARKER, readArtifact, restore, snapshot, writeArtifact } from "./folder.ts";

const DISPATCHES = "dispatches.jsonl";
const REPORTS = "reports";
const MOST_BYTES = 16 * 1024 * 1024;

export interface Dispatch {
	readonly step: string;
	readonly role: string;
	readonly signal: string;
	readonly ms: number;
}

/** The folder when the attempt began. */
interface Began {
	readonly files: Readonly<Record<string, string | null>>;
	readonly at: number;
	/** What the tests said then, if nobody had run them since the code changed. */
	readonly tests?: Readonly<Record<string, string>>;
}

/** With `tests: stale` the tests run first, if the step before was given up and left code that they have not seen. */
export async function before(context: StepContext): Promise<Began> {
	const isStale = withOf(context)["tests"] === "stale" && fieldOf(context, "tests_stale") === "yes";
	const tests = isStale ? await lookAtTests(context) : undefined;
	return { files: Object.fromEntries(snapshot(runDirOf(context))), at: context.now(), ...(tests === undefined ? {} : { tests }) };
}

export async function after(context: StepContext, said: AgentAnswer, memory: unknown): Promise<Amendment> {
	const began = (memory as Began | null) ?? { files: Object.fromEntries(snapshot(runDirOf(context))), at: context.now() };
	const judged = looked(context, said, new Map(Object.entries(began.files)));
	const amended = began.tests === undefined ? judged : { ...judged, facts: { ...began.tests, tests_stale: "", ...judged.facts } };
	note(
		context,
		{ step: context.step.type, role: context.role, signal: amended.signal ?? said.signal, ms: context.now() - began.at },
		said.text,
	);
	return amended;
}

function looked(context: StepContext, said: AgentAnswer, before: ReadonlyMap<string, string | null>): Amendment {
	const dir = runDirOf(context);
	const { writes = "no", expects } = withOf(context);
	if (writes !== "yes") {
		const changed = restore(dir, before);
		if (changed.length > 0) {
			const error = `${whoWrote(context)} may not write in ${dir}, but changed ${changed.slice(0, 10).join(", ")}`;
			return { signal: "boundary_violation", error, remarks: [`${error}: put back`] };
		}
	} else if (readArtifact(dir, MARKER) !== before.get(MARKER)) writeArtifact(dir, MARKER, before.get(MARKER) ?? "");
	const expectation = expects === undefined || said.result !== "ok" ? undefined : expectations[expects];
	const judged = expectation?.(context, said, before) ?? {};
	return said.result === "ok" && differing(snapshot(dir), before).length > 0 ? { changed: true, ...judged } : judged;
}

/** The members of a gate work side by side in one folder: nobody can tell which of them wrote. */
const whoWrote = ({ state, step, role }: StepContext): string =>
	typeOf(state, step)
		?.members?.map((member) => member.role)
		.join(" or ") ?? role;

/** Numbered in the order of their ends. */
function note(context: StepContext, dispatch: Dispatch, text: string): void {
	const number = String(dispatchesOf(context.sharedDir).length + 1).padStart(3, "0");
	append(join(context.sharedDir, DISPATCHES), `${JSON.stringify(dispatch)}\n`);
	const name = `${number}-${dispatch.step}-${dispatch.role}.md`;
	for (const folder of [join(context.sharedDir, REPORTS), join(runDirOf(context), REPORTS)])
		try {
			writeArtifact(folder, name, `${text.trimEnd()}\n`);
		} catch (error) {
			context.warn(`the report of ${context.role} is not kept in ${folder}: ${error instanceof Error ? error.message : String(error)}`);
		}
}

export function dispatchesOf(sharedDir: string): Dispatch[] {
	try {
		const lines = (textIn(join(sharedDir, DISPATCHES), { max: MOST_BYTES }) ?? "").trim().split("\n");
		return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Dispatch);
	} catch {
		return [];
	}
}
