// The instruments behind the names of the contract.
import type { Metric } from "../telemetry.ts";

export interface Instrument {
	readonly kind: "counter" | "histogram";
	readonly unit: string;
	readonly description: string;
	readonly bounds?: readonly number[];
}

/** Sessions take minutes and runs hours: the conventions' own boundaries end at 82 seconds. */
const SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];
/** Those of the conventions. */
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

const histogram = (unit: string, description: string, bounds: readonly number[]): Instrument => ({
	kind: "histogram",
	unit,
	description,
	bounds,
});
const counter = (unit: string, description: string): Instrument => ({ kind: "counter", unit, description });

export const INSTRUMENTS: Readonly<Record<Metric, Instrument>> = {
	"gen_ai.client.token.usage": histogram("{token}", "Tokens that a session used", TOKENS),
	"gen_ai.invoke_agent.duration": histogram("s", "How long a session took", SECONDS),
	"gen_ai.invoke_workflow.duration": histogram("s", "How long a run took, from its creation to its end", SECONDS),
	"pawl.sessions": counter("{session}", "Sessions of agents that have ended"),
	"pawl.cost": counter("{USD}", "What sessions cost, as far as it is known"),
	"pawl.retries": counter("{attempt}", "Attempts of a step after its first one"),
	"pawl.merges": counter("{merge}", "Attempts to bring a story onto base"),
	"pawl.checks": counter("{check}", "Checks that ran, or had passed on the same tree before"),
	"pawl.person.wait.duration": histogram("s", "How long a step waited for a person", SECONDS),
};
