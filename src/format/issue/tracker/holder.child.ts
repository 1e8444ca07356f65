// Holds the tracker's lock of the folder that it is given, says so, and never lets go by itself.
import { withTrackerLock } from "./repository.ts";

await withTrackerLock(process.argv[2] ?? "", async () => {
	process.stdout.write("held\n");
	await new Promise((resolve) => process.stdin.on("end", resolve).resume());
});
