// G-02: a red or unusable base is found before the first session: setup and checks run once on base, in the kind of place where the work
// will happen. This is part of starting a run, which needs real git:
// `real-rows.ts` shows it for each driver.
import { alsoIn } from "./also-in.ts";

alsoIn("G-02", "test/scenario/checks.test.ts", "src/workspace/slot/fresh.test.ts");
