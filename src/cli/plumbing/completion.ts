// pawl completion bash|zsh|fish: a script generated from the commands and their options, so that it is always up to date.
import { Argument, Command } from "commander";
import type { Context } from "../context.ts";

interface Entry {
	readonly name: string;
	readonly summary: string;
	readonly options: readonly string[];
	readonly subcommands: readonly string[];
}

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export function command(c: Context): Command {
	return new Command("pawl completion")
		.description('print a completion script: eval "$(pawl completion bash)", the same with zsh; pawl completion fish | source')
		.addArgument(new Argument("<shell>").choices(SHELLS))
		.action(async (shell: Shell) => c.out(scriptFor(shell, await entries(c))));
}

async function entries(c: Context): Promise<Entry[]> {
	return Promise.all(
		Object.entries(c.commands).map(async ([name, { summary, load }]) => {
			const made = (await load()).command(c);
			const options = [made, ...made.commands].flatMap((one) => one.options.flatMap((option) => option.long ?? []));
			return { name, summary, options: [...new Set([...options, "--help"])], subcommands: made.commands.map((sub) => sub.name()) };
		}),
	);
}

export function scriptFor(shell: Shell, all: readonly Entry[]): string {
	switch (shell) {
		case "bash":
			return bash(all);
		case "zsh":
			return zsh(all);
		case "fish":
			return fish(all);
	}
}

const words = (entry: Entry): string => [...entry.subcommands, ...entry.options].join(" ");

const bash = (all: readonly Entry[]): string => `_pawl() {
	local word=\${COMP_WORDS[COMP_CWORD]} words
	if [ "$COMP_CWORD" -eq 1 ]; then words="${all.map((e) => e.name).join(" ")}"; else
		case \${COMP_WORDS[1]} in
${all.map((e) => `			${e.name}) words="${words(e)}" ;;`).join("\n")}
		esac
	fi
	COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _pawl pawl
`;

const zsh = (all: readonly Entry[]): string => `#compdef pawl
_pawl() {
	if (( CURRENT == 2 )); then
		local -a commands=(
${all.map((e) => `			'${e.name}:${e.summary.replaceAll(/['\\:]/g, " ")}'`).join("\n")}
		)
		_describe command commands
		return
	fi
	case $words[2] in
${all.map((e) => `		${e.name}) compadd -- ${words(e)} ;;`).join("\n")}
	esac
	_files
}
if [ "$funcstack[1]" = _pawl ]; then _pawl "$@"; else compdef _pawl pawl; fi
`;

const fish = (all: readonly Entry[]): string =>
	`${all
		.flatMap((e) => [
			`complete -c pawl -n __fish_use_subcommand -a ${e.name} -d '${e.summary.replaceAll(/['\\]/g, " ")}'`,
			...e.subcommands.map((sub) => `complete -c pawl -n '__fish_seen_subcommand_from ${e.name}' -a ${sub}`),
			...e.options.map((option) => `complete -c pawl -n '__fish_seen_subcommand_from ${e.name}' -l ${option.slice(2)}`),
		])
		.join("\n")}\n`;
