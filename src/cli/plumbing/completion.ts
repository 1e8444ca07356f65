// pawl completion bash|zsh|fish: a script generated from the commands and their options, so that it is always up to date. What depends on the folder (runs,
// workflows, agents) the script asks for when it is needed: pawl completion words KIND.
import { Argument, Command } from "commander";
import { type CompletedKind, KINDS, wordsOf } from "../../runs/look/completed-words.ts";
import type { Context } from "../context.ts";

interface Entry {
	readonly name: string;
	readonly summary: string;
	readonly options: readonly string[];
	readonly subcommands: readonly string[];
	/** What its arguments are, if the folder says which there are. */
	readonly kind: CompletedKind | null;
}

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];
const WORDS = "words";

export function command(c: Context): Command {
	return new Command("pawl completion")
		.description('print a completion script: eval "$(pawl completion bash)", the same with zsh; pawl completion fish | source')
		.addArgument(new Argument("<shell>").choices([...SHELLS, WORDS]))
		.addArgument(new Argument("[kind]", "with `words`: the kind of names to print, one per line; the scripts use this").choices(KINDS))
		.action(async (shell: Shell | typeof WORDS, kind: CompletedKind | undefined) => {
			if (shell !== WORDS) return c.out(scriptFor(shell, await entries(c)));
			c.out((await wordsOf(c, kind ?? "runs")).map((word) => `${word}\n`).join(""));
		});
}

async function entries(c: Context): Promise<Entry[]> {
	return Promise.all(
		Object.entries(c.commands).map(async ([name, { summary, load }]) => {
			const made = (await load()).command(c);
			const all = [made, ...made.commands];
			const options = all.flatMap((one) => one.options.flatMap((option) => option.long ?? []));
			const subcommands = made.commands.map((sub) => sub.name());
			return { name, summary, options: [...new Set([...options, "--help"])], subcommands, kind: kindOf(name, all) };
		}),
	);
}

function kindOf(name: string, all: readonly Command[]): CompletedKind | null {
	const named = all.flatMap((one) => one.registeredArguments.slice(0, 1).map((argument) => argument.name()));
	if (name === "workflow" || named.includes("workflow")) return "workflows";
	return named.some((argument) => argument === "run" || argument.startsWith("run-or-")) ? "runs" : null;
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
	local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} words kind=
	if [ "$COMP_CWORD" -eq 1 ]; then words="${all.map((e) => e.name).join(" ")}"; else
		case \${COMP_WORDS[1]} in
${all.map((e) => `			${e.name}) words="${words(e)}"${e.kind === null ? "" : ` kind=${e.kind}`} ;;`).join("\n")}
		esac
		case $before in --agent) words= kind=agents ;; --run) words= kind=runs ;; esac
		case $word in -*) ;; *) [ -n "$kind" ] && words="$words $("\${COMP_WORDS[0]}" completion words "$kind" 2>/dev/null)" ;; esac
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
	case $words[CURRENT-1] in
		--agent) compadd -- \${(f)"$($words[1] completion words agents 2>/dev/null)"}; return ;;
		--run) compadd -- \${(f)"$($words[1] completion words runs 2>/dev/null)"}; return ;;
	esac
	case $words[2] in
${all.map((e) => `		${e.name}) compadd -- ${words(e)}${e.kind === null ? "" : `; compadd -- \${(f)"$($words[1] completion words ${e.kind} 2>/dev/null)"}`} ;;`).join("\n")}
	esac
	_files
}
if [ "$funcstack[1]" = _pawl ]; then _pawl "$@"; else compdef _pawl pawl; fi
`;

const fish = (all: readonly Entry[]): string =>
	`${all
		.flatMap((e) => [
			`complete -c pawl -n __fish_use_subcommand -a ${e.name} -d '${e.summary.replaceAll(/['\\]/g, " ")}'`,
			...(e.kind === null
				? []
				: [`complete -c pawl -n '__fish_seen_subcommand_from ${e.name}' -a '(pawl completion words ${e.kind} 2>/dev/null)'`]),
			...e.subcommands.map((sub) => `complete -c pawl -n '__fish_seen_subcommand_from ${e.name}' -a ${sub}`),
			...e.options.map(
				(option) =>
					`complete -c pawl -n '__fish_seen_subcommand_from ${e.name}' -l ${option.slice(2)}${ASKED[option] === undefined ? "" : ` -x -a '(pawl completion words ${ASKED[option]} 2>/dev/null)'`}`,
			),
		])
		.join("\n")}\n`;

const ASKED: Readonly<Record<string, CompletedKind>> = { "--agent": "agents", "--run": "runs" };
