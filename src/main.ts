// The entry point: the version at once, everything else through the program.

import { main } from "./cli/program.ts";
import { services } from "./wiring.ts";

process.exitCode = await main(process.argv.slice(2), services);
