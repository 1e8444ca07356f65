import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { PROMPT_VARIABLES, renderTemplate, templateNames } from "./template.ts";
import { anyText } from "./testing/any-text.suite.ts";

describe("templates", () => {
	it("replace names with and without spaces", () => {
		assert.equal(renderTemplate("a {{x}} b {{ y }} c {{\ty\t}}", { x: "1", y: "2" }), "a 1 b 2 c 2");
	});
	it("leave an unknown name out, also one that objects have by birth", () => {
		assert.equal(renderTemplate("[{{nope}}][{{constructor}}][{{__proto__}}]", {}), "[][][]");
	});
	it("give $& and its kind no meaning", () => {
		assert.equal(renderTemplate("{{x}}", { x: "$& $1 $$ $` $'" }), "$& $1 $$ $` $'");
	});
	it("never expand what a value brings in", () => {
		assert.equal(renderTemplate("{{x}}{{y}}", { x: "{{y}}", y: "{{x}}" }), "{{y}}{{x}}");
		assert.equal(renderTemplate("{{{{x}}}}", { x: "y", y: "bad" }), "{{y}}");
	});
	it("name each name once, malformed ones too, so that loading can refuse them", () => {
		assert.deepEqual(templateNames("{{b}} {{a}} {{ b }} {{#if x}} {{a.b}}"), ["b", "a", "#if x", "a.b"]);
		assert.deepEqual(templateNames("{ {x} } {{}} {{\nx}}"), []);
	});
	it("have names of at most a hundred letters", () => {
		assert.deepEqual(templateNames(`{{${"a".repeat(100)}}} {{${"b".repeat(101)}}}`), ["a".repeat(100)]);
	});
	it("have no variable twice", () => {
		assert.equal(new Set(PROMPT_VARIABLES).size, PROMPT_VARIABLES.length);
	});
	it("hold a value byte for byte, whatever it is", () => {
		fc.assert(fc.property(anyText(), (value) => assert.equal(renderTemplate("<{{x}}>", { x: value }), `<${value}>`)));
	});
});
