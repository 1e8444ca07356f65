// G-11: a setup that failed or was cut off runs again, and a changed `setup`, `copy` or `link` is applied when a run goes on. This happens
// in the place that the workspace makes ready, which needs real git and real processes: `real-rows.ts` shows it for each driver.
import { alsoIn } from "./also-in.ts";

alsoIn("G-11", "src/workspace/slot/prepare.test.ts");
