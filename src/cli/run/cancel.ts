// pawl cancel RUN
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { stopCommand } from "./stopping.ts";

export const command = (c: Context): Command => stopCommand(c, "cancel", "end a run for good; what was merged stays, the rest is put back");
