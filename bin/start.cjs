// The first JavaScript of every start. Plain enough for an old Node to read, so that it can refuse with advice instead of a stack trace;
// then it turns on the compile cache and becomes the program: src/ in a checkout, dist/ in the package. CommonJS, and the version without
// the program, because everybody waits for this: Node starts its loader of modules only if there is a module to load.
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");

const root = dirname(__dirname);
const source = join(root, "src", "main.ts");
const checkout = existsSync(source);

const refuse = (text) => {
	process.stderr.write(`pawl: ${text}\n`);
	process.exit(2);
};

if (process.platform === "win32")
	refuse(
		"it does not run on Windows itself. Run it in WSL (https://learn.microsoft.com/windows/wsl): wsl --install, then install Node, git, your agent and pawl in there.",
	);
if (Number.parseInt(process.versions.node, 10) < 24) {
	const advice = checkout
		? `Run \`npm ci\` in ${root}, which brings the right one where it can, or install Node 24 or newer.`
		: "Install Node 24 or newer (https://nodejs.org) and put it first in PATH.";
	refuse(`this is Node ${process.versions.node} (${process.execPath}), and pawl needs 24 or newer. ${advice}`);
}
if (checkout && !existsSync(join(root, "node_modules"))) refuse(`its dependencies are not installed. Run \`npm ci\` in ${root}.`);

// Early releases of Node 24 call node:sqlite and type stripping experimental on stderr, where pawl's own words go. Filtered here and not by
// --disable-warning, which older Nodes refuse as an unknown option before anything can be said.
const emitWarning = process.emitWarning;
process.emitWarning = (warning, ...rest) => {
	const type = typeof rest[0] === "object" && rest[0] !== null ? rest[0].type : rest[0];
	if (type !== "ExperimentalWarning") emitWarning.call(process, warning, ...rest);
};

const become = () => {
	// Stripping types and compiling is most of the start-up. A checkout keeps its cache where `npm ci` clears it away; a package may be
	// read-only, so it uses the user's cache folder. Never the shared temporary folder: what lies there is executed. No cache is no error.
	const user = () => join(process.env.XDG_CACHE_HOME || join(require("node:os").homedir(), ".cache"), "pawl", "compile");
	require("node:module").enableCompileCache(checkout ? join(root, "node_modules", ".cache", "pawl") : user());
	if (checkout) void import(require("node:url").pathToFileURL(source).href);
	else require(join(root, "dist", "main.cjs"));
};

if (process.argv[2] === "--version" || process.argv[2] === "-V") process.stdout.write(`${require(join(root, "package.json")).version}\n`);
else become();
