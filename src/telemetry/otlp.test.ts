import assert from "node:assert/strict";
import { it } from "node:test";
import { otlpSender } from "./otlp.ts";

it("what pawl does not speak is said, and nothing is sent", async () => {
	const warnings: string[] = [];
	const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
	const sender = otlpSender({ version: "1", env, warn: (text) => warnings.push(text) });
	sender.measure("pawl.sessions", 1, {});
	await sender.close();
	assert.equal(warnings.length, 2);
	for (const text of warnings) assert.match(text, /^no (traces|metrics) are sent: pawl speaks http\/protobuf and http\/json, not grpc/);
});
