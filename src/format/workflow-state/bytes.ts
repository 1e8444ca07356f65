// A growing text as bytes: what was encoded once is copied instead of encoded again, into memory that is reused.
const encoder = new TextEncoder();

export const bytesOf = (text: string): Uint8Array => encoder.encode(text);

export class GrowingBytes {
	private buffer: Uint8Array;
	private length: number;

	/** Begins with this text, which is not changed. */
	constructor(text: Uint8Array = new Uint8Array()) {
		this.buffer = text;
		this.length = text.length;
	}

	get size(): number {
		return this.length;
	}

	add(part: string | Uint8Array): void {
		const bytes = typeof part === "string" ? bytesOf(part) : part;
		if (this.length + bytes.length > this.buffer.length) {
			const larger = new Uint8Array(2 * (this.length + bytes.length));
			larger.set(this.all());
			this.buffer = larger;
		}
		this.buffer.set(bytes, this.length);
		this.length += bytes.length;
	}

	/** Starts over in the same memory. */
	clear(): void {
		this.length = 0;
	}

	/** A view that is valid until more is added. */
	all(): Uint8Array {
		return this.buffer.subarray(0, this.length);
	}
}
