import assert from "node:assert/strict";
import { it } from "node:test";
import { isProtocol, protocolOf, wantedSignals } from "./wanted.ts";

it("nothing is sent without an address, and what is switched off is not sent", () => {
	const at = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
	assert.deepEqual(wantedSignals({}), []);
	assert.deepEqual(wantedSignals({ OTEL_SERVICE_NAME: "x", OTEL_EXPORTER_OTLP_ENDPOINT: "" }), []);
	assert.deepEqual(wantedSignals(at), ["traces", "metrics"]);
	assert.deepEqual(wantedSignals({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces" }), ["traces"]);
	assert.deepEqual(wantedSignals({ ...at, OTEL_METRICS_EXPORTER: "none" }), ["traces"]);
	assert.deepEqual(wantedSignals({ ...at, OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "console" }), ["traces"]);
	assert.deepEqual(wantedSignals({ ...at, OTEL_SDK_DISABLED: "True" }), []);
});

it("the protocol of a signal goes before that of all, and protobuf is what nobody has to name", () => {
	assert.equal(protocolOf({}, "traces"), "http/protobuf");
	const env = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json" };
	assert.deepEqual([protocolOf(env, "traces"), protocolOf(env, "metrics")], ["grpc", "http/json"]);
	assert.deepEqual(["grpc", "http/json", "http/protobuf"].map(isProtocol), [false, true, true]);
});
