// Who may ask, and what every answer carries.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { OneTimeCode } from "./gate.ts";
import { type Answer, bytes, site } from "./server.suite.ts";

function isError(answer: Answer, status: number, code: string, what?: string): void {
	assert.equal(answer.status, status, what ?? answer.text);
	assert.equal(answer.json.error.code, code, what);
	assert.equal(answer.headers["x-content-type-options"], "nosniff");
	assert.equal(answer.headers["referrer-policy"], "no-referrer");
}

test("A-71 Host, then Origin, then the token, then the route, then the method, then the body: the first that fails answers", async (t) => {
	const u = await site(t).serve();
	const auth = { Authorization: `Bearer ${u.token}` };
	const own = `127.0.0.1:${u.port}`;
	const all = { method: "PUT", body: "x" };
	for (const host of [null, "evil.example", "127.0.0.1", `${own}.evil.example`, `LOCALHOST:${u.port}`, `127.0.0.1:${u.port + 1}`])
		for (const path of ["/", "/api/v1/runs", "/nothing"])
			isError(await u.raw(path, { ...all, host, headers: { ...auth, Origin: `http://${own}` } }), 403, "refused", `${host}`);
	assert.match(
		await bytes(u.port, `GET / HTTP/1.1\r\nHost: ${own}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`),
		/^HTTP\/1\.1 403 /,
	);
	for (const origin of ["null", "", "http://evil.example", `https://${own}`, `http://${own}/`, `http://${own}, http://${own}`])
		for (const path of ["/", "/api/v1/nothing"])
			isError(await u.raw(path, { ...all, headers: { ...auth, Origin: origin } }), 403, "refused", origin);
	for (const path of ["/api/v1/runs", "/api/v1/nothing", "/api/", "/api", `/api/v1/runs?token=${u.token}`])
		for (const headers of [
			{},
			{ Authorization: u.token },
			{ Authorization: `bearer ${u.token}` },
			{ Authorization: `Bearer ${u.token}x` },
			{ Authorization: `Bearer ${u.token.slice(1)}` },
			{ Authorization: `Bearer ${u.token.startsWith("x") ? "y" : "x"}${u.token.slice(1)}` },
			{ Cookie: `token=${u.token}` },
		])
			isError(await u.raw(path, { ...all, headers }), 401, "unauthorized", path);
	isError(await u.raw("/api/v1/nothing", { ...all, headers: auth }), 404, "not_found");
	const method = await u.raw("/api/v1/runs/r/approve", { method: "PUT", headers: auth });
	isError(method, 405, "wrong_method");
	assert.equal(method.headers["allow"], "POST");
	assert.equal((await u.raw("/api/v1/runs", { method: "DELETE", headers: auth })).headers["allow"], "GET, HEAD, POST");
	isError(await u.raw("/api/v1/runs/r/approve", { method: "POST", headers: auth, body: "{" }), 415, "wrong_type");
	isError(await u.post("runs/r/approve", "{"), 400, "invalid");
	isError(await u.post("runs/r/approve", {}), 404, "not_found");
	const preflight = await u.raw("/api/v1/runs", {
		method: "OPTIONS",
		headers: { Origin: `http://${own}`, "Access-Control-Request-Method": "POST" },
	});
	isError(preflight, 401, "unauthorized");
	assert.deepEqual(
		Object.keys(preflight.headers).filter((name) => name.startsWith("access-control")),
		[],
	);
});

test("A-71 the right caller is answered under each of our names, also by HEAD", async (t) => {
	const u = await site(t).serve();
	const auth = { Authorization: `Bearer ${u.token}` };
	for (const host of ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${u.port}`)) {
		const answer = await u.raw("/api/v1/runs", { host, headers: { ...auth, Origin: `http://${host}` } });
		assert.deepEqual([answer.status, answer.text, answer.headers["cache-control"]], [200, "[]", "no-store"]);
	}
	const head = await u.raw("/api/runs", { method: "HEAD", headers: auth });
	assert.deepEqual([head.status, head.text], [200, ""]);
});

test("A-71 a body is one small JSON object without unknown keys", async (t) => {
	const u = await site(t).serve();
	const post = (body: string, type = "application/json") =>
		u.raw("/api/v1/runs/r/steer", { method: "POST", headers: { Authorization: `Bearer ${u.token}`, "Content-Type": type }, body });
	for (const type of ["", "text/plain", "application/jsonx", "application/json; charset=latin1", "multipart/form-data"])
		isError(await post(`{"text":"x"}`, type), 415, "wrong_type", type);
	for (const body of [
		"",
		"{",
		"[]",
		"1",
		"null",
		`"x"`,
		"{}",
		`{"text":1}`,
		`{"text":" "}`,
		`{"text":"x","more":1}`,
		`{"text":"x","__proto__":{}}`,
	])
		isError(await post(body), 400, "invalid", body);
	isError(await post(`{"text":"${"x".repeat(64 * 1024)}"}`), 413, "too_large");
	isError(await post(`{"text":"x"}`, "application/json; charset=UTF-8"), 404, "not_found");
	// A length alone is enough to be refused, and nothing more is read.
	const head = `POST /api/v1/runs/r/steer HTTP/1.1\r\nHost: 127.0.0.1:${u.port}\r\nAuthorization: Bearer ${u.token}\r\nContent-Type: application/json\r\n`;
	assert.match(await bytes(u.port, `${head}Content-Length: 99999999\r\n\r\n`), /^HTTP\/1\.1 413 [\s\S]*too_large/);
	assert.match(await bytes(u.port, `${head}Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n`), /^HTTP\/1\.1 413 /);
	const chunk = `ffff\r\n${"x".repeat(0xffff)}\r\n`;
	assert.match(await bytes(u.port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`), /^HTTP\/1\.1 413 /);
	// Whoever sends on and on gets to read the answer.
	for (const headers of [{ Authorization: `Bearer ${u.token}`, "Content-Type": "application/json" }, {}])
		assert.match(String((await u.raw("/api/v1/runs", { method: "POST", headers, body: "x".repeat(20_000_000) })).status), /413|401/);
	assert.match(await bytes(u.port, "nonsense\r\n\r\n"), /^HTTP\/1\.1 400 [\s\S]*nosniff/);
});

test("A-71 the page needs no token and holds none; no path leads to another file; looking makes no .pawl folder", async (t) => {
	const s = site(t);
	const u = await s.serve();
	for (const path of ["/", "/inbox", "/new", "/runs/x", "/runs/x/stories/US-001"]) {
		const page = await u.raw(path);
		assert.deepEqual([page.status, page.headers["content-type"]], [200, "text/html; charset=utf-8"], path);
		const policy = String(page.headers["content-security-policy"]);
		assert.match(policy, /frame-ancestors 'none'/);
		assert.doesNotMatch(/script-src[^;]*/.exec(policy)?.[0] ?? "*", /unsafe|\*/);
		assert.ok(!page.text.includes(u.token));
	}
	for (const path of [
		"/package.json",
		"/../package.json",
		"/assets/../../../package.json",
		"/%2e%2e/package.json",
		"//etc/passwd",
		"/runs/../x",
		"/dist/web/index.html",
		"http://evil.example/",
	])
		isError(await u.raw(path), 404, "not_found", path);
	for (const path of [`/${u.token}`, `/api/v1/${u.token}`])
		assert.ok(!(await u.raw(path, { headers: { Authorization: `Bearer ${u.token}` } })).text.includes(u.token), "no error holds the token");
	await u.get("runs");
	await u.get("inbox");
	(await u.stream()).close();
	assert.ok(!existsSync(join(s.c.cwd, ".pawl", "pawl.db")));
});

test("A-71 the code for a browser is good once and for a minute; it is no token", async (t) => {
	let now = 0;
	const code = new OneTimeCode(() => now);
	const first = code.issue();
	assert.deepEqual([code.redeem("x"), code.redeem(first), code.redeem(first)], [false, true, false]);
	const late = code.issue();
	now = 60_000;
	assert.equal(code.redeem(late), false);
	const u = await site(t).serve();
	const url = u.onceUrl();
	const given = new URL(url).hash.slice("#code=".length);
	assert.ok(!url.includes(u.token));
	isError(await u.raw("/api/v1/runs", { headers: { Authorization: `Bearer ${given}` } }), 401, "unauthorized");
	const exchange = () =>
		u.raw("/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code: given }) });
	assert.deepEqual((await exchange()).json, { token: u.token });
	isError(await exchange(), 401, "unauthorized");
});
