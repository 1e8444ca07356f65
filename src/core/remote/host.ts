// The host in the address of a git remote.

/** With a port, if its address for the web has one; null for a folder. */
export function hostOf(remoteUrl: string): string | null {
	const [, protocol = "", host] = /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/]*@)?([^/:]+(?::\d+)?)/i.exec(remoteUrl) ?? [];
	if (host !== undefined) return protocol === "file" ? null : protocol.startsWith("http") ? host : host.replace(/:\d+$/, "");
	return /^(?:[^@/:]+@)?([^/:@]{2,}):(?!\/\/)/.exec(remoteUrl)?.[1] ?? null;
}
