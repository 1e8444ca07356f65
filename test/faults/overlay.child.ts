// Loaded before a test (`node --import`): the file that PAWL_FAULT names holds what other files shall be in this process.
import { readFileSync } from "node:fs";
import { lay } from "../mutants/overlay.ts";

lay({ texts: JSON.parse(readFileSync(process.env["PAWL_FAULT"] ?? "", "utf8")) as Record<string, string> });
