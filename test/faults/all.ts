// All seeded faults. `npm run faults` tries them; `faults.test.ts` looks whether they still fit the code.
import type { Fault } from "./fault.ts";
import { GUARANTEES } from "./guarantees.ts";
import { MACHINERY } from "./machinery.ts";
import { MACHINES } from "./machines.ts";

export const FAULTS: readonly Fault[] = [...GUARANTEES, ...MACHINERY, ...MACHINES];
