// New run: a form that starts an ordinary engine process, as `pawl run` in the background does.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, post } from "../api/request.ts";
import { connected } from "../api/stream.ts";
import { Throttle } from "../api/throttle.ts";
import type { RunRow, Workflow } from "../api/types.ts";
import { goTo } from "../route.ts";
import { alertOf } from "../state/alerts.ts";

const INPUTS = { request: "A request", prd: "A PRD file", issue: "An issue" } as const;
type Input = keyof typeof INPUTS;

const ABOUT: Readonly<Record<Input, { readonly label: string; readonly hint: string }>> = {
	request: { label: "What should be done?", hint: "In plain words, as to a colleague." },
	prd: { label: "Path of the file", hint: "Inside the repository, such as prd.json." },
	issue: { label: "Number of the issue", hint: "Of the repository's tracker." },
};

interface Option {
	readonly key: string;
	readonly label: string;
	readonly hint: string;
	/** `choice`: for everything, or by step type and role, as on the command line. */
	readonly kind: "number" | "count" | "text" | "choice";
}

const OPTIONS: readonly Option[] = [
	{ key: "agents", label: "Stories at the same time", hint: "1 unless pawl.yml says otherwise", kind: "count" },
	{ key: "agent", label: "Agent", hint: "claude unless pawl.yml says otherwise", kind: "text" },
	{ key: "model", label: "Model, or by step", hint: "opus, or coding=opus review=haiku", kind: "choice" },
	{ key: "base", label: "Base branch", hint: "the branch that is checked out", kind: "text" },
	{ key: "max_cost", label: "Cost limit in US dollars", hint: "none", kind: "number" },
	{ key: "max_time", label: "Time limit, such as 2h", hint: "none", kind: "text" },
	{ key: "max_iterations", label: "Iterations at most", hint: "as the workflow says", kind: "count" },
];

export function NewRunScreen() {
	const workflows = useSignal<readonly Workflow[]>([]);
	const workflow = useSignal("dynamic");
	const input = useSignal<Input>("request");
	const text = useSignal("");
	const options = useSignal<Readonly<Record<string, string>>>({});
	const pr = useSignal(false);
	const busy = useSignal(false);
	const again = connected.value;
	useEffect(() => {
		if (again === 0) return;
		const load = new Throttle(
			() => get<Workflow[]>("workflows"),
			(all) => {
				workflows.value = all;
			},
			() => {},
		);
		load.ask();
		return () => load.end();
	}, [again]);

	const start = async (event: Event): Promise<void> => {
		event.preventDefault();
		busy.value = true;
		try {
			const given = { ...optionsOf(options.peek()), ...(pr.peek() ? { pr: true } : {}) };
			const row = await post<RunRow>("runs", {
				workflow: workflow.peek().trim(),
				[input.peek()]: text.peek().trim(),
				...(Object.keys(given).length === 0 ? {} : { options: given }),
			});
			goTo({ screen: "run", run: row.run, tab: "stories" });
		} catch (error) {
			alertOf(error instanceof Error ? error.message : String(error));
		}
		busy.value = false;
	};
	const about = ABOUT[input.value];
	const defaults = workflows.value.find(({ name }) => name === workflow.value)?.defaults;
	return (
		<>
			<h1>New run</h1>
			<form class="form" onSubmit={(event) => void start(event)}>
				<label class="field">
					<span>Workflow</span>
					<input list="workflows" required value={workflow.value} onInput={(event) => (workflow.value = event.currentTarget.value)} />
					<datalist id="workflows">
						{workflows.value.map(({ name, title }) => (
							<option key={name} value={name}>
								{title}
							</option>
						))}
					</datalist>
					<span class="hint">{workflows.value.find(({ name }) => name === workflow.value)?.title ?? ""}</span>
				</label>
				<fieldset>
					<legend>What it works on</legend>
					<div class="choices">
						{(Object.keys(INPUTS) as Input[]).map((one) => (
							<label key={one} class="check">
								<input type="radio" name="input" checked={input.value === one} onChange={() => (input.value = one)} />
								{INPUTS[one]}
							</label>
						))}
					</div>
					<div class="field">
						<label for="input">{about.label}</label>
						{input.value === "request" ? (
							<textarea id="input" rows={5} required value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
						) : (
							<input id="input" required value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
						)}
						<span class="hint">{about.hint}</span>
					</div>
				</fieldset>
				<fieldset>
					<legend>Options</legend>
					<div class="option-grid">
						{OPTIONS.map(({ key, label, hint, kind }) => (
							<label key={key} class="field">
								<span>{label}</span>
								<input
									inputMode={kind === "count" ? "numeric" : kind === "number" ? "decimal" : "text"}
									placeholder={String(defaults?.[key] ?? hint)}
									value={options.value[key] ?? ""}
									onInput={(event) => (options.value = { ...options.peek(), [key]: event.currentTarget.value })}
								/>
							</label>
						))}
					</div>
					<label class="check">
						<input type="checkbox" checked={pr.value} onChange={(event) => (pr.value = event.currentTarget.checked)} />
						End in a pull request
					</label>
					<p class="hint">On a branch of its own, which is pushed; base is not moved.</p>
				</fieldset>
				<div class="actions">
					<button type="submit" class="main" disabled={busy.value || text.value.trim() === "" || workflow.value.trim() === ""}>
						Start
					</button>
					<span class="soft">It runs on without this page.</span>
				</div>
			</form>
		</>
	);
}

/** `opus` is for everything, `coding=opus review=haiku` for these two. */
function choiceOf(text: string): string | Readonly<Record<string, string>> {
	const words = text.split(/[\s,]+/).filter((word) => word !== "");
	if (!words.every((word) => /^[\w.-]+=./.test(word))) return text;
	return Object.fromEntries(words.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
}

function optionsOf(given: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
	return Object.fromEntries(
		OPTIONS.flatMap(({ key, kind }) => {
			const value = (given[key] ?? "").trim();
			return value === "" ? [] : [[key, kind === "text" ? value : kind === "choice" ? choiceOf(value) : Number(value)]];
		}),
	);
}
