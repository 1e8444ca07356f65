// G-20: foreign input is said when it is not understood, and a changed document is taken up or named. This is about readers and
// files: `real-rows.ts` shows it for each driver.
import { alsoIn } from "./also-in.ts";

alsoIn("G-20", "src/format/pipeline/compile.test.ts", "src/runs/change/story-changes.test.ts", "test/phased/run.test.ts");
