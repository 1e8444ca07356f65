// Keeps the last part of a stream of bytes in bounded memory.

/** How much of a final message is kept, in bytes. */
export const TEXT_LIMIT = 1024 * 1024;

export class Tail {
	#buffer: Buffer = Buffer.alloc(0);
	#length = 0;
	#cut = false;

	push(chunk: Buffer): void {
		if (chunk.length > TEXT_LIMIT) this.#cut = true;
		const part = chunk.length > TEXT_LIMIT ? chunk.subarray(-TEXT_LIMIT) : chunk;
		if (this.#length + part.length > this.#buffer.length) this.#makeRoom(part.length);
		this.#length += part.copy(this.#buffer, this.#length);
	}

	text(): string {
		let start = Math.max(0, this.#length - TEXT_LIMIT);
		// Do not begin in the middle of a character.
		if (start > 0 || this.#cut) for (let i = 0; i < 3 && ((this.#buffer[start] ?? 0) & 0xc0) === 0x80; i++) start++;
		return this.#buffer.toString("utf8", start, this.#length);
	}

	// The buffer holds twice the limit, so that old bytes are moved once in a while instead of with every chunk.
	#makeRoom(size: number): void {
		if (this.#length + size > 2 * TEXT_LIMIT) {
			const start = Math.max(0, this.#length - TEXT_LIMIT);
			if (start > 0) this.#cut = true;
			this.#buffer.copyWithin(0, start, this.#length);
			this.#length -= start;
		}
		const wanted = this.#length + size;
		if (wanted <= this.#buffer.length) return;
		const grown = Buffer.allocUnsafe(Math.min(2 * TEXT_LIMIT, Math.max(wanted, 2 * this.#buffer.length, 4096)));
		this.#buffer.copy(grown, 0, 0, this.#length);
		this.#buffer = grown;
	}
}
