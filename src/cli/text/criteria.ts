// How each acceptance criterion of a story was shown, for a person.
import type { JudgedCriterion, Proof } from "../../runs/look/criteria/evidence.ts";
import type { OneStory } from "../../runs/look/stories.ts";
import { fold } from "./columns.ts";
import { statusCell } from "./tables.ts";
import { flat, type Paint } from "./text.ts";

const INDENT = 14;

export function criteriaText({ id, title, status, criteria }: OneStory, width: number, color: Paint): string {
	const cell = statusCell(status, color);
	const word = typeof cell === "string" ? cell : cell.paint(cell.text);
	const lines = [
		...fold(`${color.bold(id)}  ${flat(title)}  ${word}`, width, 2),
		"",
		...(criteria.length === 0 ? ["  it has no acceptance criteria"] : criteria.flatMap((one) => criterionLines(one, width, color))),
	];
	return `${lines.join("\n")}\n`;
}

function criterionLines({ criterion, met, evidence }: JudgedCriterion, width: number, color: Paint): string[] {
	const [word, paintIt] = met === null ? ["not judged", color.dim] : met ? ["met", color.green] : ["not met", color.red];
	return [
		...fold(`  ${paintIt(word.padEnd(INDENT - 4))}  ${flat(criterion)}`, width, INDENT),
		...(evidence.length === 0 ? [`${" ".repeat(INDENT)}${color.dim("not judged")}`] : evidence.flatMap((one) => proofLines(one, width))),
	];
}

const proofLines = (proof: Proof, width: number): string[] =>
	[proofText(proof), ...(proof.quote === null ? [] : [`"${proof.quote}"`])].flatMap((line) =>
		fold(`${" ".repeat(INDENT)}${flat(line)}`, width, INDENT + 2),
	);

/** "pawl looked: `npm test` exited 0 (step-007 initial_testing)". */
function proofText({ kind, text, step, type }: Proof): string {
	const where = step === type ? step : `${step} ${type}`;
	switch (kind) {
		case "command":
			return `pawl looked: ${text} (${where})`;
		case "word":
			return `${text} (${where})`;
		case "verdict":
			return `${text}, of the work as a whole${step === type ? "" : ` (${step})`}`;
	}
}
