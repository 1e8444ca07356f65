// The bad day of a run whose steps agents come for, and what each guarantee sees in it.
import { realRows } from "./real-rows.ts";

realRows("pulled");
