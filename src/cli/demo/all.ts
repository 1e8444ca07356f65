// The demos by name: one for each built-in workflow, and one of a single request. Only the one that is shown is loaded.
import type { Demo } from "./description.ts";

type Load = () => Promise<Demo>;
const dynamic: Load = async () => (await import("./dynamic.ts")).dynamic;

export const DEMOS: Readonly<Record<string, Load>> = {
	dynamic,
	"one-shot": async () => (await import("./one-shot.ts")).oneShot,
	phased: async () => (await import("./phased.ts")).phased,
	ralph: async () => (await import("./ralph.ts")).ralph,
	gated: async () => (await import("./gated.ts")).gated,
	"feature-dev": async () => (await import("./feature-dev.ts")).featureDev,
	"bug-fix": async () => (await import("./bug-fix.ts")).bugFix,
	"security-audit": async () => (await import("./security-audit.ts")).securityAudit,
	plan: async () => (await import("./plan.ts")).plan,
	// Its name before other workflows had demos.
	prd: dynamic,
};
