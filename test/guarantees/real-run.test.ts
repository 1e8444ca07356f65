// The bad day of `pawl run`, and what each guarantee sees in it.
import { realRows } from "./real-rows.ts";

realRows("run");
