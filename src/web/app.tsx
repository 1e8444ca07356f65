// The frame around every screen: where one can go, whether the page is connected, alerts, and the list of keys.
import { useEffect } from "preact/hooks";
import { connection } from "./api/stream.ts";
import { helpOpen, KEYS } from "./keys.ts";
import { AlertList } from "./parts/alert-list.tsx";
import { Dialog, openDialogs } from "./parts/dialog.tsx";
import { AnswerDialog, RejectDialog } from "./parts/reject-dialog.tsx";
import { hrefOf, type Route, route } from "./route.ts";
import { InboxScreen } from "./screens/inbox.tsx";
import { MachinesScreen } from "./screens/machines.tsx";
import { NewRunScreen } from "./screens/new-run.tsx";
import { RunScreen } from "./screens/run.tsx";
import { RunsScreen } from "./screens/runs.tsx";
import { SessionScreen } from "./screens/session.tsx";
import { StoryScreen } from "./screens/story.tsx";
import { runs, waitingCount } from "./state/live.ts";
import { askForMachines, machines } from "./state/machines.ts";
import { answering, rejecting } from "./state/rejecting.ts";

const CONNECTION = { connecting: "connecting…", live: "live", lost: "lost" } as const;

export function App() {
	const here = route.value;
	const where = hrefOf(here);
	useEffect(() => {
		scrollTo(0, 0);
	}, [where]);
	const connected = connection.value;
	useEffect(() => {
		if (connected === "live") void askForMachines();
	}, [connected]);
	useEffect(() => {
		document.title = titleOf(here);
	});
	return (
		<>
			<header class="top">
				<span class="brand" aria-hidden="true">
					pawl
				</span>
				<nav aria-label="Screens">
					<NavLink to="runs" name="Runs" here={here} />
					<NavLink to="inbox" name="Inbox" here={here} count={waitingCount.value} />
					<NavLink to="new" name="New run" here={here} />
					{machines.value !== null && <NavLink to="machines" name="Machines" here={here} />}
				</nav>
				<span class={`connection ${connection.value}`} role="status" aria-label="Connection">
					{CONNECTION[connection.value]}
				</span>
				<button type="button" class="quiet" aria-label="Keys" title="Keys (?)" onClick={() => (helpOpen.value = true)}>
					?
				</button>
			</header>
			{openDialogs.value === 0 && <AlertList />}
			<main>
				<Screen here={here} />
			</main>
			{helpOpen.value && <Help />}
			{answering.value !== null && <AnswerDialog question={answering.value} />}
			{rejecting.value !== null && <RejectDialog question={rejecting.value} />}
		</>
	);
}

/** For tabs and the history of the browser. */
function titleOf(here: Route): string {
	const waiting = waitingCount.value > 0 ? `(${waitingCount.value}) ` : "";
	const run = "run" in here ? (runs.value?.find((row) => row.run === here.run)?.title ?? here.run) : "";
	const names = { runs: "Runs", inbox: "Inbox", new: "New run", machines: "Machines", nowhere: "Not here", run, story: "", session: "" };
	const name = "story" in here ? `${here.story}${"step" in here ? ` ${here.step}` : ""} · ${run}` : names[here.screen];
	return `${waiting}${name} · pawl`;
}

function NavLink({ to, name, here, count = 0 }: { to: "runs" | "inbox" | "new" | "machines"; name: string; here: Route; count?: number }) {
	const on = here.screen === to || (to === "runs" && ["run", "story", "session"].includes(here.screen));
	return (
		<a href={hrefOf({ screen: to })} class={on ? "on" : ""} aria-current={here.screen === to ? "page" : undefined}>
			{name}
			{count > 0 && <span class="count"> {count}</span>}
		</a>
	);
}

function Screen({ here }: { readonly here: Route }) {
	switch (here.screen) {
		case "runs":
			return <RunsScreen />;
		case "inbox":
			return <InboxScreen />;
		case "new":
			return <NewRunScreen />;
		case "machines":
			return <MachinesScreen />;
		case "run":
			return <RunScreen key={here.run} run={here.run} tab={here.tab} />;
		case "story":
			return <StoryScreen key={`${here.run} ${here.story}`} run={here.run} story={here.story} />;
		case "session":
			return <SessionScreen key={hrefOf(here)} run={here.run} story={here.story} step={here.step} />;
		case "nowhere":
			return (
				<>
					<h1>Not here</h1>
					<p>
						There is no such screen. <a href="/">All runs</a>
					</p>
				</>
			);
	}
}

function Help() {
	return (
		<Dialog title="Keys" onClose={() => (helpOpen.value = false)}>
			<dl class="keys">
				{KEYS.map(([key, what]) => (
					<div key={key}>
						<dt>
							<kbd>{key}</kbd>
						</dt>
						<dd>{what}</dd>
					</div>
				))}
			</dl>
		</Dialog>
	);
}
