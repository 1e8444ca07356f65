// The repository's checks in a sentence for those who have to pass them.

/** Every command that pawl will run itself is named, so that none of them comes as a surprise. */
export function howToCheck(checks: Readonly<Record<string, string>>): string {
	const known = Object.entries(checks).filter(([, command]) => command !== "");
	if (known.length === 0) return "No build or test command is known: look for the repository's own way.";
	return known.map(([name, command]) => `${name.charAt(0).toUpperCase()}${name.slice(1)} with \`${command}\`.`).join(" ");
}
