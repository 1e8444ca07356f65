// The host in the address of a git remote.

/** Without a port, because `gh` and `glab` know hosts without one; null for a folder. */
export function hostOf(remoteUrl: string): string | null {
	const [, protocol = "", host] = /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/]*@)?([^/:]+)/i.exec(remoteUrl) ?? [];
	if (host !== undefined) return protocol.toLowerCase() === "file" ? null : host;
	return /^(?:[^@/:]+@)?([^/:@]{2,}):(?!\/\/)/.exec(remoteUrl)?.[1] ?? null;
}

/** Host and path, the same for each way to write the address: without a login, an ending `.git` and capitals. A folder is itself. */
export function projectOf(remoteUrl: string): string {
	const host = hostOf(remoteUrl);
	const path = remoteUrl
		.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "")
		.replace(/^[^/:]*:/, "")
		.replace(/(?<!\/)\/+$/, "")
		.replace(/\.git$/i, "");
	return host === null ? remoteUrl : `${host}/${path.replace(/^\/+/, "")}`.toLowerCase();
}
