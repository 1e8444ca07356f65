// What a person can do with a run now.
import type { RunView } from "../api/types.ts";

const OVER = new Set(["completed", "failed", "cancelled", "refused"]);

export interface Can {
	readonly pause: boolean;
	readonly resume: boolean;
	readonly retry: boolean;
	readonly steer: boolean;
	readonly extend: boolean;
	readonly cancel: boolean;
}

type Standing = Pick<RunView, "status" | "driven" | "stopping" | "advice" | "budgets" | "loop">;

export function canOf({ status, driven, stopping, advice, budgets, loop }: Standing): Can {
	const over = OVER.has(status);
	// The server's own advice knows more than the status: a run that failed for want of a login is resumed, not retried.
	const advised = (command: string): boolean => advice.some(({ commands }) => commands.some((one) => one.startsWith(`pawl ${command} `)));
	return {
		pause: status === "running" && driven && !stopping,
		resume: !driven && (["paused", "stopped", "limited", "running"].includes(status) || (status !== "waiting" && advised("resume"))),
		retry: status === "failed" && advised("retry"),
		steer: !over,
		extend: !["completed", "cancelled", "refused"].includes(status) && (Object.keys(budgets).length > 0 || loop !== undefined),
		cancel: !over,
	};
}
