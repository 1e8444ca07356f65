// Which forge a host belongs to, by its name. A company's own host may have any name: then nobody knows before asking.
import { hostOf } from "../core/remote/host.ts";

const GITHUB = /(?:^|[.-])github[.-]/i;
const GITLAB = /gitlab/i;

const servedBy =
	(own: RegExp, other: RegExp) =>
	(remoteUrl: string): boolean | null => {
		const host = hostOf(remoteUrl) ?? "";
		return own.test(host) ? true : other.test(host) ? false : null;
	};

export const ghServes = servedBy(GITHUB, GITLAB);
export const glabServes = servedBy(GITLAB, GITHUB);
