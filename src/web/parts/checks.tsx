// Checks with their commands, how they ended, and what they printed.
import type { Check } from "../api/types.ts";
import { flat } from "../plain.ts";
import { Fold } from "./fold.tsx";
import { Output } from "./output.tsx";

export function Checks({ checks }: { readonly checks: readonly Check[] }) {
	return (
		<ul class="plain-list checks">
			{checks.map((check, index) => (
				<li key={index}>
					<span class={check.exit_code === 0 ? "good-text" : "bad-text"}>{ended(check)}</span>{" "}
					<span class="strong said">{flat(check.name)}</span> <code class="said soft">{flat(check.command)}</code>
					{check.output.trim() !== "" && (
						<Fold name="Printed" open={check.exit_code !== 0 && !check.reused}>
							{() => <Output text={check.output} />}
						</Fold>
					)}
				</li>
			))}
		</ul>
	);
}

const ended = ({ exit_code: code, reused }: Check): string =>
	code === null ? "did not end" : code === 0 ? (reused ? "passed before" : "passed") : `failed, exit ${code}`;
