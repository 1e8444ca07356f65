// The way back: from where a screen belongs to.
import { flat } from "../plain.ts";
import { hrefOf } from "../route.ts";

interface CrumbsProps {
	readonly run: string;
	/** The title of the run, on the screens below it; null: not known yet. */
	readonly title?: string | null;
	readonly story?: string;
}

export function Crumbs({ run, title, story }: CrumbsProps) {
	return (
		<p class="crumbs">
			<a href={hrefOf({ screen: "runs" })}>Runs</a>
			{" / "}
			{title === undefined ? (
				<span class="mono">{run}</span>
			) : (
				<a class="said" href={hrefOf({ screen: "run", run, tab: "stories" })}>
					{title === null ? run : flat(title)}
				</a>
			)}
			{story !== undefined && (
				<>
					{" / "}
					<a class="mono" href={hrefOf({ screen: "story", run, story })}>
						{story}
					</a>
				</>
			)}
		</p>
	);
}
