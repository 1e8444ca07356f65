// Random text of any characters. fast-check's own unit "binary" is the same, but makes a map of all of them first, a million, which takes
// longer and more memory than most files of tests need.
import fc from "fast-check";

// The halves of a surrogate pair are no characters.
const [FIRST_HALF, HALVES, LAST] = [0xd800, 0x800, 0x10ffff];

const character = fc.nat({ max: LAST - HALVES }).map(
	(n) => String.fromCodePoint(n < FIRST_HALF ? n : n + HALVES),
	(text) => {
		const code = typeof text === "string" ? (text.codePointAt(0) ?? -1) : -1;
		if (code < 0 || text !== String.fromCodePoint(code)) throw new Error("not one character");
		return code < FIRST_HALF ? code : code - HALVES;
	},
);

export const anyText = (limits: { readonly minLength?: number; readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
	fc.string({ ...limits, unit: character });
