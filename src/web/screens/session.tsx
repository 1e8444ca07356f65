// Session: what the agent of a step says and does.
import { hrefOf } from "../route.ts";

export function SessionScreen({ run, story, step }: { readonly run: string; readonly story: string; readonly step: string }) {
	return (
		<>
			<p class="crumbs">
				<a href={hrefOf({ screen: "run", run, tab: "stories" })}>{run}</a>
			</p>
			<h1>
				{story} {step}
			</h1>
			<p>
				On the command line: <code>pawl logs {run}</code>
			</p>
		</>
	);
}
