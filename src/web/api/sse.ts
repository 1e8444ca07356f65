// Reads Server-Sent Events out of pieces of text, wherever these are cut.

export interface ServerEvent {
	readonly name: string;
	readonly id: string | null;
	readonly data: string;
}

export class EventReader {
	private rest = "";

	/** The events that this piece completes. Comments are left out. */
	read(piece: string): ServerEvent[] {
		const blocks = (this.rest + piece).split(/\r?\n\r?\n/);
		this.rest = blocks.pop() ?? "";
		return blocks.flatMap((block) => {
			const event = eventOf(block);
			return event === null ? [] : [event];
		});
	}
}

function eventOf(block: string): ServerEvent | null {
	let name = "message";
	let id: string | null = null;
	const data: string[] = [];
	for (const line of block.split(/\r?\n/)) {
		const [, field, value = ""] = /^(\w+):? ?(.*)$/s.exec(line) ?? [];
		if (field === "event") name = value;
		else if (field === "id") id = value;
		else if (field === "data") data.push(value);
	}
	return data.length === 0 ? null : { name, id, data: data.join("\n") };
}
