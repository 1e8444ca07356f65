// Sends spans and measurements by OTLP over HTTP, with OpenTelemetry's own packages: they read its variables (headers, timeouts, certificates, compression), repeat what failed and
// drop what is too much. Only a process whose environment names a collector loads this file.
import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { hostname } from "node:os";
import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace";
import type { Attributes, Metric, Sender, Span } from "../telemetry.ts";
import { INSTRUMENTS } from "./metrics.ts";
import { isProtocol, protocolOf, type Signal, wantedSignals } from "./wanted.ts";

/** A collector that hangs holds up the end of a command for no longer than this, unless OTEL_EXPORTER_OTLP_TIMEOUT says otherwise. */
const TIMEOUT_MS = 5_000;
const STARTED = "http.client.request.start";
/** For what follows a timeout of the exporters' own. */
const SETTLING_MS = 500;
const SPANS_EVERY_MS = 1_000;
const METRICS_EVERY_MS = 30_000;
const SCOPE = "pawl";

export interface SenderOptions {
	readonly version: string;
	readonly env: NodeJS.ProcessEnv;
	/** Told once. */
	warn(text: string): void;
}

export function otlpSender({ version, env, warn }: SenderOptions): Sender {
	const timeout = env["OTEL_EXPORTER_OTLP_TIMEOUT"] === undefined ? { timeoutMillis: TIMEOUT_MS } : {};
	const usable = wantedSignals(env).filter((signal) => {
		const protocol = protocolOf(env, signal);
		if (!isProtocol(protocol))
			warn(`no ${signal} are sent: pawl speaks http/protobuf and http/json, not ${protocol} (OTEL_EXPORTER_OTLP_PROTOCOL)`);
		return isProtocol(protocol);
	});
	const isJson = (signal: Signal): boolean => protocolOf(env, signal) === "http/json";
	setGlobalErrorHandler((error) => warn(`telemetry could not be sent: ${messageOf(error)}`));
	const resource = resourceOf(version);
	const requests = new Requests();
	const spans = usable.includes("traces")
		? new BatchSpanProcessor({
				exporter: isJson("traces") ? new JsonTraces(timeout) : new ProtobufTraces(timeout),
				scheduledDelayMillis: number(env["OTEL_BSP_SCHEDULE_DELAY"]) ?? SPANS_EVERY_MS,
			})
		: null;
	const meters = usable.includes("metrics")
		? new MeterProvider({
				resource,
				readers: [
					new PeriodicExportingMetricReader({
						exporter: isJson("metrics") ? new JsonMetrics(timeout) : new ProtobufMetrics(timeout),
						exportIntervalMillis: number(env["OTEL_METRIC_EXPORT_INTERVAL"]) ?? METRICS_EVERY_MS,
					}),
				],
				views: Object.entries(INSTRUMENTS).flatMap(([instrumentName, { bounds }]) =>
					bounds === undefined
						? []
						: [{ instrumentName, aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: [...bounds] } } }],
				),
			})
		: null;
	const meter = meters?.getMeter(SCOPE, version);
	const instruments = new Map<Metric, (value: number, attributes: Attributes) => void>();
	const instrument = (metric: Metric) => {
		const known = instruments.get(metric);
		if (known !== undefined || meter === undefined) return known;
		const { kind, unit, description } = INSTRUMENTS[metric];
		const made =
			kind === "counter" ? meter.createCounter(metric, { unit, description }) : meter.createHistogram(metric, { unit, description });
		const record = (value: number, attributes: Attributes): void =>
			"add" in made ? made.add(value, attributes) : made.record(value, attributes);
		instruments.set(metric, record);
		return record;
	};
	return {
		span: (span) => spans?.onEnd(readable(span, resource, version)),
		measure: (metric, value, attributes) => instrument(metric)?.(value, attributes),
		close: async () => {
			const sent = Promise.allSettled([spans?.shutdown(), meters?.shutdown()]);
			const given = requests.endAfter(number(env["OTEL_EXPORTER_OTLP_TIMEOUT"]) ?? TIMEOUT_MS);
			const ends = await Promise.race([sent, given]);
			requests.close();
			if (ends === null) warn("telemetry could not be sent: the collector does not finish its answer");
			else for (const end of ends) if (end.status === "rejected") warn(`telemetry could not be sent: ${messageOf(end.reason)}`);
		},
	};
}

/** The requests under way. The exporters' timeout is for silence: a collector that sends a byte of its answer now and then would hold up the end of a command for ever. */
class Requests {
	private readonly live = new Set<ClientRequest>();
	private timer: NodeJS.Timeout | undefined;

	constructor() {
		subscribe(STARTED, this.note);
	}

	/** null when they were ended. */
	endAfter(ms: number): Promise<null> {
		return new Promise((done) => {
			this.timer = setTimeout(() => {
				for (const request of this.live) request.destroy();
				done(null);
			}, ms + SETTLING_MS);
		});
	}

	close(): void {
		clearTimeout(this.timer);
		unsubscribe(STARTED, this.note);
	}

	private readonly note = (message: unknown): void => {
		const { request } = message as { readonly request: ClientRequest };
		if (!String(request.getHeader("user-agent")).includes("OTLP")) return;
		this.live.add(request);
		request.once("close", () => this.live.delete(request));
	};
}

/** What the user says wins over what pawl says, and that over the SDK's defaults. */
function resourceOf(version: string): Resource {
	const own = resourceFromAttributes({
		"service.name": "pawl",
		"service.version": version,
		// Counters of processes that run side by side must not be taken for one.
		"service.instance.id": randomUUID(),
		"host.name": hostname(),
	});
	return defaultResource()
		.merge(own)
		.merge(detectResources({ detectors: [envDetector] }));
}

function readable(span: Span, resource: Resource, version: string): ReadableSpan {
	const context = (spanId: string) => ({ traceId: span.trace, spanId, traceFlags: TraceFlags.SAMPLED });
	return {
		name: span.name,
		kind: SpanKind.INTERNAL,
		spanContext: () => context(span.id),
		...(span.parent === null ? {} : { parentSpanContext: context(span.parent) }),
		startTime: time(span.startedAt),
		endTime: time(span.endedAt),
		duration: time(span.endedAt - span.startedAt),
		status: span.error === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: span.error },
		attributes: { ...span.attributes },
		links: [],
		events: span.events.map(({ name, at, attributes }) => ({ name, time: time(at), attributes: { ...attributes } })),
		ended: true,
		resource,
		instrumentationScope: { name: SCOPE, version },
		droppedAttributesCount: 0,
		droppedEventsCount: 0,
		droppedLinksCount: 0,
	};
}

const time = (ms: number): [number, number] => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1_000_000)];

const number = (text: string | undefined): number | null =>
	text !== undefined && /^\d+$/.test(text) && Number(text) > 0 ? Number(text) : null;

/** An answer of the collector may be a whole page. */
function messageOf(error: unknown): string {
	const message = error instanceof Error ? error.message : typeof error === "string" ? error : JSON.stringify(error);
	return message.split("\n", 1)[0]?.slice(0, 200) ?? "";
}
