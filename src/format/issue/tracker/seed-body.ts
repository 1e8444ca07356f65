// The body of an issue that a run splits off: everything that a reader needs to start on it.

export interface Seed {
	readonly description: string;
	readonly criteria: readonly string[];
	readonly codeContext: string;
	/** What it needs from other issues, which `depends-on` lists. */
	readonly contracts: string;
	/** The part of the plan that is about it. */
	readonly plan: string;
	readonly testDesign: string | null;
	readonly branch: string;
	readonly parent: string;
}

export function seedBody(seed: Seed): string {
	const section = (title: string, text: string) => `## ${title}\n\n${lowered(text.trim()) || "None."}`;
	return [
		lowered(seed.description.trim()),
		section("Acceptance criteria", seed.criteria.map((text) => `- [ ] ${text.replace(/\s+/g, " ").trim()}`).join("\n")),
		section("Code context", seed.codeContext),
		section("Integration contracts", seed.contracts),
		...(seed.testDesign === null || seed.testDesign.trim() === "" ? [] : [section("Test design", seed.testDesign)]),
		section("From the plan", seed.plan),
		`Discovered during run on \`${seed.branch}\` for parent issue \`${seed.parent}\`.`,
	].join("\n\n");
}

/** Headings of the quoted text go below ours, so that it cannot end or begin a section; its boxes are not criteria. */
function lowered(text: string): string {
	let fence: string | null = null;
	return text
		.split(/\r?\n/)
		.map((line) => {
			const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
			if (mark !== undefined) fence = fence === null ? mark : line.trim().startsWith(fence) ? null : fence;
			return fence === null ? line.replace(/^ {0,3}#{1,6}(?=\s)/, "###") : line;
		})
		.join("\n");
}
