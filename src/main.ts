// The entry point: everything goes through the program. Only `--version` is answered earlier, by bin/start.cjs.
import { main } from "./cli/program.ts";
import { services } from "./wiring.ts";

// No `await` here: the package is CommonJS (scripts/build.ts), which has none outside of functions. 13 is what Node itself ends with when a
// program awaits something that can no longer happen.
process.exitCode = 13;
void main(process.argv.slice(2), services).then((code) => {
	process.exitCode = code;
});
