// Alerts at the top of the page: refused actions, and a token that the server does not know.
import { refused } from "../api/session.ts";
import { plain } from "../plain.ts";
import { alerts, dismiss } from "../state/alerts.ts";

export function AlertList() {
	return (
		<div class="alerts">
			{refused.value && (
				<div class="alert" role="alert">
					<p>
						<strong>This page has no access any more.</strong> The server was restarted, or it was never opened with its link. Open the link
						that <code>pawl ui</code> printed, in any tab of this browser: every tab goes on by itself.
					</p>
				</div>
			)}
			{alerts.value.map(({ id, text }) => (
				<div class="alert" role="alert" key={id}>
					<p class="said">{plain(text)}</p>
					<button type="button" aria-label="Dismiss" onClick={() => dismiss(id)}>
						×
					</button>
				</div>
			))}
		</div>
	);
}
