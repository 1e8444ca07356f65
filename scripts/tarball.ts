// What the published package has to hold, and all that it may hold: the test of the packed tarball and the release ask here.

const NEEDED = [
	...["package.json", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"],
	...["bin/pawl", "bin/start.cjs", "dist/main.cjs", "dist/library.cjs", "dist/library.d.cts", "dist/licenses.txt", "dist/web/index.html"],
	...["schema/pawl.schema.json", "schema/workflow.schema.json", "workflows/dynamic/workflow.yml", "docs/cli.md", "skills/pawl/SKILL.md"],
];

/** Documents are here as text: the pictures of the dashboard are larger than the program. */
const ALLOWED = [
	/^(package\.json|LICENSE|(README|CHANGELOG|SECURITY|AGENTS|ARCHITECTURE|CONTEXT|CONTRIBUTING)\.md)$/,
	/^bin\/(pawl|start\.cjs)$/,
	/^dist\/([\w-]+\.[cm]?js|[\w./-]+\.d\.[cm]?ts|licenses\.txt)$/,
	/^dist\/web\/(index\.html|assets\/[\w-]+\.(js|css|svg|woff2))$/,
	/^schema\/[\w-]+\.schema\.json$/,
	/^workflows\/([\w-]+\/)+[\w.-]+\.(yml|md)$/,
	/^skills\/[\w-]+\/[\w-]+\.md$/,
	/^docs\/([\w-]+\/)*[\w-]+\.md$/,
	/^docs\/examples\/([\w-]+\/)+[\w-]+\.yml$/,
	/^docs\/compose\/compose\.yml$/,
];

/** Of the paths in a tarball, without its folder; empty if all is well. */
export function tarballProblems(paths: readonly string[]): string[] {
	return [
		...NEEDED.filter((path) => !paths.includes(path)).map((path) => `${path} is missing`),
		...paths.filter((path) => !ALLOWED.some((one) => one.test(path))).map((path) => `${path} does not belong into the package`),
	];
}
