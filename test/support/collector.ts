// A collector on loopback that keeps what is sent to it by OTLP over HTTP, as JSON. It can also fail or hang.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface SentSpan {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId?: string;
	readonly name: string;
	readonly startTimeUnixNano: string;
	readonly endTimeUnixNano: string;
	readonly status: { readonly code?: number; readonly message?: string };
	readonly attributes: Readonly<Record<string, unknown>>;
	readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
}

export interface Collector {
	readonly url: string;
	readonly requests: { readonly path: string; readonly headers: Readonly<Record<string, unknown>>; readonly body: Buffer }[];
	/** All spans, in the order in which they came. */
	spans(): SentSpan[];
	/** Metric → the sum of its data points: of a counter its values, of a histogram how many were recorded. */
	metrics(): Record<string, number>;
	resource(): Readonly<Record<string, unknown>>;
}

/** `how`: what it does with a request. */
export async function collector(t: TestContext, how: "takes" | "fails" | "hangs" | "never finishes" = "takes"): Promise<Collector> {
	const requests: Collector["requests"] = [];
	const server: Server = createServer((request, response) => {
		const parts: Buffer[] = [];
		request.on("data", (part: Buffer) => parts.push(part));
		request.on("end", () => {
			requests.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(parts) });
			if (how === "hangs") return;
			if (how === "never finishes") {
				const drops = setInterval(() => response.write(" "), 20);
				return response.on("close", () => clearInterval(drops));
			}
			response.writeHead(how === "fails" ? 400 : 200, { "content-type": "application/json" }).end("{}");
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	const sent = <T>(path: string): T[] =>
		requests.filter((one) => one.path === path).map(({ body }) => JSON.parse(body.toString("utf8")) as T);
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests,
		spans: () =>
			sent<Traces>("/v1/traces")
				.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)))
				.map((span) => ({
					...span,
					attributes: plain(span.attributes),
					events: (span.events ?? []).map(({ name, attributes }) => ({ name, attributes: plain(attributes) })),
				})),
		metrics: () => {
			const sums: Record<string, number> = {};
			// Cumulative: the last word of each process counts.
			const last = new Map<string, Metrics["resourceMetrics"][number]>();
			for (const { resourceMetrics } of sent<Metrics>("/v1/metrics"))
				for (const one of resourceMetrics) last.set(String(plain(one.resource.attributes)["service.instance.id"]), one);
			for (const { scopeMetrics } of last.values())
				for (const { name, sum, histogram } of scopeMetrics.flatMap(({ metrics }) => metrics))
					for (const point of [...(sum?.dataPoints ?? []), ...(histogram?.dataPoints ?? [])])
						sums[name] = (sums[name] ?? 0) + Number(point.asDouble ?? point.asInt ?? point.count ?? 0);
			return sums;
		},
		resource: () => plain(sent<Traces>("/v1/traces")[0]?.resourceSpans[0]?.resource.attributes ?? []),
	};
}

type Value = {
	readonly stringValue?: string;
	readonly intValue?: string | number;
	readonly doubleValue?: number;
	readonly boolValue?: boolean;
};
type Pairs = readonly { readonly key: string; readonly value: Value }[];

interface Traces {
	readonly resourceSpans: readonly {
		readonly resource: { readonly attributes: Pairs };
		readonly scopeSpans: readonly {
			readonly spans: readonly (Omit<SentSpan, "attributes" | "events"> & {
				readonly attributes: Pairs;
				readonly events?: readonly { readonly name: string; readonly attributes: Pairs }[];
			})[];
		}[];
	}[];
}

interface Point {
	readonly asDouble?: number;
	readonly asInt?: string | number;
	readonly count?: string | number;
}

interface Metrics {
	readonly resourceMetrics: readonly {
		readonly resource: { readonly attributes: Pairs };
		readonly scopeMetrics: readonly {
			readonly metrics: readonly {
				readonly name: string;
				readonly sum?: { readonly dataPoints: readonly Point[] };
				readonly histogram?: { readonly dataPoints: readonly Point[] };
			}[];
		}[];
	}[];
}

const plain = (pairs: Pairs): Record<string, unknown> =>
	Object.fromEntries(
		pairs.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
			key,
			stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue)),
		]),
	);
