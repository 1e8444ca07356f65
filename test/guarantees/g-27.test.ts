// G-27: only a person decides: whatever decides about a run is refused to anything that a session or a check started. It is found by
// process ancestry, which needs real processes.
import { alsoIn } from "./also-in.ts";

alsoIn("G-27", "test/cli/steering.test.ts", "src/process/lineage.test.ts");
