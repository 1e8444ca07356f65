// `pawl --help`.
export function overview(commands: Readonly<Record<string, { readonly summary: string }>>, version: string): string {
	const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(11)} ${summary}`);
	return `pawl ${version}: drives coding agents through workflows that only move forward

  pawl "REQUEST"                          one request, ten small steps, in the current tree
  pawl run WORKFLOW [REQUEST|FILE|ID]     a run that keeps its state in .pawl/

${rows.join("\n")}

pawl COMMAND --help says more. Exit codes: 0 ok, 1 failed, 2 usage or bad input, 3 waits for a person,
4 stopped by a budget, 75 rate-limited, 130/143 ended by a signal.
`;
}
