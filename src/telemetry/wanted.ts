// What the environment asks for, by OpenTelemetry's own variables. It is all that a process without them loads.

export type Signal = "traces" | "metrics";
type Env = Readonly<Record<string, string | undefined>>;

/** The signals that somebody wants, and where to. None without an address, whatever else is set: pawl sends nothing that nobody asked for. */
export function wantedSignals(env: Env): readonly Signal[] {
	if (env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return [];
	return (["traces", "metrics"] as const).filter((signal) => {
		const upper = signal.toUpperCase();
		const exporter = env[`OTEL_${upper}_EXPORTER`]?.trim() || "otlp";
		return exporter === "otlp" && Boolean(env["OTEL_EXPORTER_OTLP_ENDPOINT"] || env[`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`]);
	});
}

export type Protocol = "http/protobuf" | "http/json";

export const protocolOf = (env: Env, signal: Signal): string =>
	env[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`]?.trim() || env["OTEL_EXPORTER_OTLP_PROTOCOL"]?.trim() || "http/protobuf";

export const isProtocol = (text: string): text is Protocol => text === "http/protobuf" || text === "http/json";
