// G-24: runs beside each other do not meet. What one run owns is in one database and one repository, which needs real processes.
import { alsoIn } from "./also-in.ts";

alsoIn("G-24", "test/runs/neighbours.test.ts");
