import assert from "node:assert/strict";
import { test } from "node:test";
import { bodiesOf, notStubs } from "./stubs.ts";

test("O-57 finds functions with their bodies, whatever surrounds them", () => {
	const source = `/// fn not_me() { 1 }
pub(crate) async fn one<T: Fn(i32) -> i32>(f: T, a: [u8; 2]) -> Result<(), String> where T: Copy { todo!() }
trait A { fn declared(&self) -> i32; fn given(&self) -> i32 { 2 } }
impl A for B {
    fn declared(&self) -> i32 {
        let text = "} fn no() {";
        3
    }
}
`;
	assert.deepEqual(
		bodiesOf(source).map(({ name, line }) => [name, line]),
		[
			["one", 2],
			["given", 3],
			["declared", 5],
		],
	);
});

test("O-57 ignores unchanged functions; new or changed ones have to be exactly todo!()", () => {
	const before = "pub fn old() -> i32 { 1 }\n";
	const names = (after: string, was: string | null = before) => notStubs(was, after).map(({ name }) => name);
	assert.deepEqual(names(`${before}pub fn sum(a: i32) -> i32 {\n    todo!()\n}\n`), []);
	assert.deepEqual(names(`${before}pub fn sum(a: i32) -> i32 { a }\n`), ["sum"]);
	assert.deepEqual(names(`${before}pub fn sum(a: i32) -> i32 { todo!("later") }\n`), ["sum"]);
	assert.deepEqual(names(`${before}pub fn sum(a: i32) -> i32 { log(a); todo!() }\n`), ["sum"]);
	assert.deepEqual(names("pub fn old() -> i32 { 2 }\n"), ["old"]);
	assert.deepEqual(names("pub struct S;\nimpl S {\n    pub fn new() -> Self { todo!() }\n    fn f(&self) { self.g() }\n}\n", null), ["f"]);
});
