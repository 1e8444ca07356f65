// pawl cancel RUN
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { stopCommand } from "./stopping.ts";

export const command = (c: Context): Command =>
	stopCommand(c, "cancel", "end a run for good; merged work stays, and pawl puts the running attempts back");
