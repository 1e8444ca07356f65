// Text that grows as bytes: what was encoded once is copied, never encoded again.
const encoder = new TextEncoder();

export const bytesOf = (text: string): Uint8Array => encoder.encode(text);

export function joined(parts: readonly Uint8Array[]): Uint8Array {
	let length = 0;
	for (const part of parts) length += part.length;
	const all = new Uint8Array(length);
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all;
}

/** Only added to. */
export class GrowingBytes {
	private buffer = new Uint8Array(1024);
	private length = 0;

	add(text: string): void {
		const bytes = bytesOf(text);
		if (this.length + bytes.length > this.buffer.length) {
			const larger = new Uint8Array(2 * (this.length + bytes.length));
			larger.set(this.all());
			this.buffer = larger;
		}
		this.buffer.set(bytes, this.length);
		this.length += bytes.length;
	}

	/** A view, good until more is added. */
	all(): Uint8Array {
		return this.buffer.subarray(0, this.length);
	}
}
