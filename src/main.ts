// The entry point: the version at once, everything else through the program.
import { services } from "./wiring.ts";
import { main } from "./cli/program.ts";

process.exitCode = await main(process.argv.slice(2), services);
