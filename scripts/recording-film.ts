// Frames of a terminal as one SVG. Every different line is drawn once; a frame is a list of its lines, and the film moves from frame to frame.
import Anser from "anser";

export interface Frame {
	/** With the escape sequences of colours. */
	readonly lines: readonly string[];
	/** How long it was seen. */
	ms: number;
}

const [WIDTH, HEIGHT, PAD, SIZE] = [8.4, 18, 14, 14];
/** The last frame is there to be read. */
const LAST_MS = 6_000;
const COLOURS: Readonly<Record<string, string>> = {
	"ansi-red": "#f47067",
	"ansi-green": "#6bc46d",
	"ansi-yellow": "#daaa3f",
	"ansi-blue": "#6cb6ff",
	"ansi-magenta": "#dcbdfb",
	"ansi-cyan": "#56d4dd",
	"ansi-white": "#adbac7",
	"ansi-bright-black": "#768390",
};

export interface Film {
	readonly columns: number;
	readonly rows: number;
	/** The folder of the recording, which nobody needs to see. */
	readonly hide: string;
}

export function filmOf(frames: readonly Frame[], { columns, rows, hide }: Film): string {
	const known = new Map<string, string>();
	const tall = rows * HEIGHT + 2 * PAD;
	const wide = Math.ceil(columns * WIDTH) + 2 * PAD;
	const drawn = frames.map(({ lines }, at) => {
		const uses = lines.flatMap((line, row) => {
			const spans = spansOf(line.replaceAll(hide, "/tmp"));
			if (spans === "") return [];
			if (!known.has(spans)) known.set(spans, `l${known.size}`);
			return [`<use href="#${known.get(spans)}" y="${PAD + (row + 1) * HEIGHT - 5}"/>`];
		});
		return `<g transform="translate(0 ${at * tall})">${uses.join("")}</g>`;
	});
	const lines = [...known].map(([spans, id]) => `<text id="${id}">${spans}</text>`);
	const durations = frames.map(({ ms }, at) => (at === frames.length - 1 ? LAST_MS : ms));
	const whole = durations.reduce((sum, ms) => sum + ms, 0);
	let from = 0;
	const keys = durations.map((ms, at) => {
		const key = `${((from / whole) * 100).toFixed(2)}%{transform:translateY(${-at * tall}px)}`;
		from += ms;
		return key;
	});
	const last = `translateY(${-(frames.length - 1) * tall}px)`;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${tall}" width="${wide}" height="${tall}" role="img" aria-label="A recording of a terminal">
<style>
text{font:${SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#adbac7;white-space:pre}
.b{font-weight:bold}.d{opacity:.6}
.film{animation:film ${(whole / 1000).toFixed(1)}s step-end infinite}
@keyframes film{${keys.join("")}100%{transform:${last}}}
@media (prefers-reduced-motion:reduce){.film{animation:none;transform:${last}}}
</style>
<defs>
${lines.join("\n")}
</defs>
<rect width="100%" height="100%" rx="8" fill="#22272e"/>
<g class="film">
${drawn.join("\n")}
</g>
</svg>
`;
}

/** A line as spans, each at its column: fonts differ in their width. */
function spansOf(line: string): string {
	let column = 0;
	return Anser.ansiToJson(line, { use_classes: true, remove_empty: true })
		.map(({ content, fg, decorations }) => {
			const at = column;
			column += [...content].length;
			if (content.trim() === "") return "";
			const text = content.trimEnd();
			const classes = [decorations.includes("bold") ? "b" : "", decorations.includes("dim") ? "d" : ""]
				.filter((one) => one !== "")
				.join(" ");
			const style = `${classes === "" ? "" : ` class="${classes}"`}${fg === null ? "" : ` fill="${COLOURS[fg] ?? "#adbac7"}"`}`;
			const length = [...text].length;
			return `<tspan x="${(PAD + at * WIDTH).toFixed(1)}" textLength="${(length * WIDTH).toFixed(1)}"${style}>${escaped(text)}</tspan>`;
		})
		.join("");
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(" ", "\u00a0");
