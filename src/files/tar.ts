// An archive in the oldest format that every tar reads (ustar): files only.

export interface TarEntry {
	/** With slashes, without a first one. */
	readonly name: string;
	readonly content: Buffer;
}

const BLOCK = 512;
const [NAME, PREFIX] = [100, 155];

/** null: the format has no room for such a name. */
function placeOf(name: string): { readonly name: string; readonly prefix: string } | null {
	if (Buffer.byteLength(name) <= NAME) return { name, prefix: "" };
	for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) {
		const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)];
		if (Buffer.byteLength(prefix) <= PREFIX && Buffer.byteLength(rest) <= NAME) return { name: rest, prefix };
	}
	return null;
}

export const fitsInTar = (name: string): boolean => placeOf(name) !== null;

export function tarOf(entries: readonly TarEntry[], at: number): Buffer {
	const pieces = entries.flatMap(({ name, content }) => {
		const place = placeOf(name);
		if (place === null) throw new Error(`${name} is too long for an archive`);
		return [header(place, content.length, at), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
	});
	return Buffer.concat([...pieces, Buffer.alloc(2 * BLOCK)]);
}

function header({ name, prefix }: { readonly name: string; readonly prefix: string }, size: number, at: number): Buffer {
	const block = Buffer.alloc(BLOCK);
	const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
	block.write(name, 0);
	block.write(octal(0o644, 8), 100);
	block.write(octal(0, 8), 108);
	block.write(octal(0, 8), 116);
	block.write(octal(size, 12), 124);
	block.write(octal(Math.floor(at / 1000), 12), 136);
	block.write("        0", 148);
	block.write("ustar\0" + "00", 257, "latin1");
	block.write(prefix, 345);
	const sum = block.reduce((total, byte) => total + byte, 0);
	block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
	return block;
}
