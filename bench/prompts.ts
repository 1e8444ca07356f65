// How much agents have to read: the prompts of the demo of each workflow. These figures are the same on every machine.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { DEMO_FOLDER, kilobytes, PROJECT, type RecordedPrompt, withRecordedDemo } from "../scripts/prompts.ts";
import { type Figure, median } from "./support.ts";

const DEMOS = ["dynamic", "phased", "ralph", "gated", "feature-dev", "bug-fix", "security-audit", "plan"];
export const MOST_BYTES = 12_000;
const MOST_OF_BEFORE = 0.6;

export interface PromptSizes {
	readonly prompts: number;
	readonly largest: number;
	readonly median: number;
	/** All prompts of the run by its stories; of a run without stories, all prompts. */
	readonly aStory: number;
	/** The share that the prompt before, of the same story, had as well. */
	readonly repeated: number;
}

export async function promptFigures(): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const demo of DEMOS) figures.push(...figuresOf(demo, await sizesIn(PROJECT, [demo, "--fast"])));
	return figures;
}

function figuresOf(demo: string, sizes: PromptSizes): Figure[] {
	const plain = (name: string, value: string): Figure => ({ name: `  ${name}`, value, aim: "", met: true });
	return [
		{
			name: `${demo}: the largest of ${sizes.prompts} prompts`,
			value: kilobytes(sizes.largest),
			aim: `≤ ${kilobytes(MOST_BYTES)}`,
			met: sizes.largest <= MOST_BYTES,
			required: true,
		},
		plain("a prompt, median", kilobytes(sizes.median)),
		plain("a story", kilobytes(sizes.aStory)),
		plain("of that, already in the prompt before", percent(sizes.repeated)),
	];
}

/** The demo of dynamic in this tree and in another checkout. */
export async function comparePrompts(other: string): Promise<Figure[]> {
	if (!existsSync(join(resolve(other), "bin", "pawl"))) throw new Error(`${other} is no checkout of pawl: there is no bin/pawl in it`);
	const [ours, theirs] = [await sizesIn(PROJECT, ["--fast"]), await sizesIn(resolve(other), [])];
	const ratio = ours.aStory / theirs.aStory;
	return [
		{
			name: "dynamic, bytes a story: this tree / the other",
			value: `${percent(ratio)} (${kilobytes(ours.aStory)} / ${kilobytes(theirs.aStory)})`,
			aim: `≤ ${percent(MOST_OF_BEFORE)}`,
			met: ratio <= MOST_OF_BEFORE,
		},
		{ name: "  the largest prompt", value: `${kilobytes(ours.largest)} / ${kilobytes(theirs.largest)}`, aim: "", met: true },
		{ name: "  already in the prompt before", value: `${percent(ours.repeated)} / ${percent(theirs.repeated)}`, aim: "", met: true },
	];
}

const sizesIn = (checkout: string, args: readonly string[]): Promise<PromptSizes> =>
	withRecordedDemo(
		args,
		({ prompts, folder }) => sizesOf(prompts.map((one) => ({ ...one, prompt: shortPaths(one.prompt, folder) }))),
		checkout,
	);

/** The temporary folder of this machine has a name of its own length. */
const shortPaths = (text: string, folder: string): string => text.replaceAll(folder, DEMO_FOLDER);

export function sizesOf(prompts: readonly RecordedPrompt[]): PromptSizes {
	const bytes = prompts.map(({ prompt }) => Buffer.byteLength(prompt));
	const all = bytes.reduce((a, b) => a + b, 0);
	const stories = new Set(prompts.map(({ story }) => story).filter((story) => story !== "" && !story.startsWith("@"))).size;
	const repeated = prompts.reduce((sum, prompt, index) => {
		const before = prompts.slice(0, index).findLast(({ story }) => story === prompt.story);
		return sum + (before === undefined ? 0 : repeatedBytes(prompt.prompt, before.prompt));
	}, 0);
	return {
		prompts: prompts.length,
		largest: Math.max(...bytes),
		median: median(bytes),
		aStory: all / Math.max(1, stories),
		repeated: repeated / all,
	};
}

/** The bytes of the lines that stand in both; empty lines do not count. */
function repeatedBytes(text: string, before: string): number {
	const known = new Set(before.split("\n"));
	return text
		.split("\n")
		.filter((line) => line.trim() !== "" && known.has(line))
		.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
