// How messages of the CLIs are typed. The texts are those that the programs and their providers print.
import assert from "node:assert/strict";
import { test } from "node:test";
import { failure } from "./failure.ts";
import { outputReader } from "./reader.ts";

const typed = (message: string, status: number | null = null) => failure(message, status, null, 0).result;

test("G-14: messages about credit and billing are out_of_credit, whatever their status", () => {
	for (const [message, status] of [
		["Credit balance is too low", 400],
		["Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.", 400],
		["Credit balance too low · Add funds: https://platform.claude.com/settings/billing", null],
		["You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.", 400],
		["Quota exceeded. Check your plan and billing details.", null],
		["You exceeded your current quota, please check your plan and billing details.", 429],
		["stream disconnected before completion: insufficient_quota", null],
		["Your workspace is out of credits. Add credits to continue.", null],
		["unexpected status 402 Payment Required: unknown", null],
		["Insufficient Balance", 402],
		["Insufficient credits. Add more using https://openrouter.ai/settings/credits", 401],
		["This request requires more credits, or fewer max_tokens.", 402],
		["No payment method. Add a payment method here: https://opencode.ai/workspace", 401],
		["[API Error: Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.]", 429],
		['[API Error: {"error":{"code":403,"message":"This API method requires billing to be enabled.","status":"PERMISSION_DENIED"}}]', null],
		["", 402],
	] as const)
		assert.equal(typed(message, status), "out_of_credit", message);
});

test("G-14: a quota that comes back by itself stays a rate limit, and a login a login", () => {
	assert.equal(typed("You've hit your usage limit. Visit the settings to purchase more credits or try again at 10:03 PM."), "rate_limited");
	assert.equal(
		typed(
			"You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: generate_content_free_tier_requests, limit: 20\nPlease retry in 38s.",
			429,
		),
		"rate_limited",
	);
	assert.equal(typed("Resource has been exhausted (e.g. check quota).", 429), "rate_limited");
	assert.equal(typed("invalid x-api-key", 401), "auth");
});

test("G-14: each CLI's own events end as out_of_credit", () => {
	const read = (...events: readonly object[]) => {
		const reader = outputReader(() => 0);
		for (const event of events) reader.write(Buffer.from(`${JSON.stringify(event)}\n`));
		return reader.end().error?.result;
	};
	const synthetic = { model: "<synthetic>", content: [{ type: "text", text: "Please pay" }] };
	assert.equal(
		read(
			{ type: "system", subtype: "init", session_id: "s", model: "m" },
			{ type: "assistant", message: synthetic, session_id: "s", error: "billing_error" },
			{ type: "result", subtype: "success", is_error: true, api_error_status: 400, result: "Please pay", session_id: "s" },
		),
		"out_of_credit",
	);
	const message = "Quota exceeded. Check your plan and billing details.";
	const codex = [{ type: "thread.started", thread_id: "t" }, { type: "turn.started" }, { type: "turn.failed", error: { message } }];
	assert.equal(read(...codex), "out_of_credit");
	const responseBody = '{"type":"error","error":{"type":"CreditsError","message":"Insufficient balance."}}';
	const error = { name: "APIError", data: { message: "Unauthorized", statusCode: 401, responseBody } };
	assert.equal(read({ type: "error", sessionID: "ses_1", error }), "out_of_credit");
	const gemini = { type: "result", status: "error", error: { message: "[API Error: Your prepayment credits are depleted.]" } };
	assert.equal(read({ type: "init", session_id: "s", model: "g" }, gemini), "out_of_credit");
});
