// What a terminal sends for keys, as names: "up", "enter", "ctrl-c", or the character itself. A pasted text is one key, so that a line
// break in it does not send a message.

const NAMES: Readonly<Record<string, string>> = {
	"[A": "up",
	"[B": "down",
	"[C": "right",
	"[D": "left",
	OA: "up",
	OB: "down",
	OC: "right",
	OD: "left",
	"[H": "home",
	"[F": "end",
	OH: "home",
	OF: "end",
	"[1~": "home",
	"[4~": "end",
	"[5~": "pageup",
	"[6~": "pagedown",
	"[7~": "home",
	"[8~": "end",
};

const CONTROL: Readonly<Record<string, string>> = {
	"\r": "enter",
	"\n": "enter",
	"\t": "tab",
	"\u0003": "ctrl-c",
	"\u0004": "ctrl-d",
	"\u0008": "backspace",
	"\u007f": "backspace",
	"\u0015": "ctrl-u",
	"\u000c": "ctrl-l",
};

const ESC = "\u001b";
const PASTE = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys begin with a control character
const SEQUENCE = /^\u001b(\[[0-?]*[ -/]*[@-~]|O[A-Z])/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const BEGUN = /^\u001b[[O][0-?]*$/;

export type Key = string;

/** Reads what comes in pieces. */
export class KeyReader {
	private rest = "";

	read(piece: string): Key[] {
		let text = this.rest + piece;
		this.rest = "";
		const keys: Key[] = [];
		while (text !== "") {
			if (text.startsWith(PASTE)) {
				const end = text.indexOf(PASTE_END);
				if (end < 0) {
					this.rest = text;
					return keys;
				}
				keys.push(text.slice(PASTE.length, end).replaceAll(/\s+/g, " "));
				text = text.slice(end + PASTE_END.length);
				continue;
			}
			const [sequence] = SEQUENCE.exec(text) ?? [];
			if (sequence !== undefined) {
				const name = NAMES[sequence.slice(1)];
				if (name !== undefined) keys.push(name);
				text = text.slice(sequence.length);
				continue;
			}
			// The beginning of a sequence, whose end comes with the next piece. A lone Esc is the key.
			if (BEGUN.test(text)) {
				this.rest = text;
				return keys;
			}
			const [first = ""] = text;
			text = text.slice(first.length);
			if (first === ESC) keys.push("esc");
			else if (CONTROL[first] !== undefined) keys.push(CONTROL[first]);
			else if (first >= " ") keys.push(first);
		}
		return keys;
	}
}
