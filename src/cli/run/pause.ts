// pawl pause RUN
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { stopCommand } from "./stopping.ts";

export const command = (c: Context): Command =>
	stopCommand(c, "pause", "stop a run so that it can be resumed: pawl cancels the running attempts and puts their trees back");
