// Machines: who works on what, and the seats of accounts that all of them share.
import { useEffect } from "preact/hooks";
import type { AccountView, MachinesView, WorkerView } from "../api/types.ts";
import { Badge } from "../parts/badge.tsx";
import { Table } from "../parts/table.tsx";
import { flat } from "../plain.ts";
import { hrefOf } from "../route.ts";
import { askForMachines, machines } from "../state/machines.ts";
import { about } from "../state/now.ts";
import { ago } from "../words/words.ts";

const AGAIN_MS = 2_000;

export function MachinesScreen() {
	useEffect(() => {
		const timer = setInterval(() => {
			if (!document.hidden) void askForMachines();
		}, AGAIN_MS);
		return () => clearInterval(timer);
	}, []);
	const all = machines.value;
	return (
		<>
			<h1>Machines</h1>
			{all === null ? <p class="empty">The runs here are those of one machine.</p> : <Machines all={all} />}
		</>
	);
}

function Machines({ all: { workers, accounts } }: { readonly all: MachinesView }) {
	return (
		<>
			{workers.length === 0 ? (
				<div class="empty">
					<p class="strong">There are no workers.</p>
					<pre class="command">pawl worker --repo URL</pre>
				</div>
			) : (
				<Table
					title="Workers"
					of="Worker"
					rows={workers}
					nameOf={({ worker }) => worker}
					name={({ worker, version }) => (
						<>
							{flat(worker)} <span class="soft">{flat(version)}</span>
						</>
					)}
					columns={[
						{ name: "Works on", cell: (worker) => <Places of={worker.works} /> },
						{ name: "Lanes", cell: ({ works, lanes }) => `${works.length} of ${lanes}` },
						{ name: "Seen", cell: ({ seen_at }) => ago(seen_at, about.value) },
						{ name: "State", cell: (worker) => <Badge status={wordOf(worker)} /> },
					]}
				/>
			)}
			{accounts.length > 0 && (
				<Table
					title="Accounts"
					of="Account"
					rows={accounts}
					nameOf={({ account }) => account}
					name={({ account }) => flat(account)}
					columns={[
						{ name: "Seats", cell: ({ in_use, max }) => (max === null ? in_use : `${in_use} of ${max}`) },
						{ name: "In use by", cell: ({ sessions }) => <Places of={sessions.filter(({ waits }) => !waits)} /> },
						{ name: "Waiting", cell: ({ sessions }) => <Places of={sessions.filter(({ waits }) => waits)} /> },
						{ name: "Limit", cell: limitOf },
					]}
				/>
			)}
		</>
	);
}

const wordOf = ({ gone, draining, works }: WorkerView): string =>
	gone ? "gone" : draining ? "leaving" : works.length > 0 ? "working" : "idle";

const limitOf = ({ limited_until }: AccountView): string =>
	limited_until === null ? "" : `until ${new Date(limited_until).toLocaleTimeString()}`;

function Places({ of }: { readonly of: readonly { readonly run: string; readonly story: string | null }[] }) {
	return (
		<>
			{of.map(({ run, story }, at) => (
				<span key={`${run} ${story} ${at}`}>
					{at > 0 && ", "}
					<a href={story === null ? hrefOf({ screen: "run", run, tab: "stories" }) : hrefOf({ screen: "story", run, story })}>
						{flat(story ?? "the run itself")}
					</a>
				</span>
			))}
		</>
	);
}
