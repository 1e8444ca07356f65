// The bad day of a run that is killed with kill -9 and resumed, and what each guarantee sees in it.
import { realRows } from "./real-rows.ts";

realRows("resumed");
