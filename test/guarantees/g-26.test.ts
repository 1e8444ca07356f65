// G-26: pawl's own git runs nothing of an agent's making: the configuration and attributes are those of the run's start. This needs
// real git: `real-rows.ts` shows it for each driver.
import { alsoIn } from "./also-in.ts";

alsoIn("G-26", "src/workspace/guard/noted-settings.test.ts", "test/scenario/git-settings.test.ts", "test/pipelines/pull.test.ts");
