// Takes the tracker's lock of the given folder, says so, and never releases it.
import { withTrackerLock } from "./repository.ts";

await withTrackerLock(process.argv[2] ?? "", async () => {
	process.stdout.write("held\n");
	await new Promise((resolve) => process.stdin.on("end", resolve).resume());
});
