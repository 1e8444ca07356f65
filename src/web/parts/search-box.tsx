// Where one types what to look for.
interface SearchBoxProps {
	/** What is searched: "the journal". */
	readonly of: string;
	readonly value: string;
	readonly onInput: (text: string) => void;
	/** Enter, or Shift+Enter. */
	readonly onGo?: (by: 1 | -1) => void;
}

export function SearchBox({ of, value, onInput, onGo }: SearchBoxProps) {
	return (
		<input
			type="search"
			aria-label={`Search ${of}`}
			placeholder={`search ${of}`}
			value={value}
			onInput={(event) => onInput(event.currentTarget.value)}
			onKeyDown={(event) => {
				if (event.key === "Enter") onGo?.(event.shiftKey ? -1 : 1);
			}}
		/>
	);
}
