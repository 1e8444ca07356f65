// How much of something is done or used, with the same in words beside it.

export function Bar({ share, label, tone = "busy" }: { readonly share: number; readonly label: string; readonly tone?: string }) {
	const percent = Math.max(0, Math.min(100, Math.round(share * 100)));
	return (
		<span class={`bar ${tone}`} role="img" aria-label={label}>
			<span style={{ width: `${percent}%` }} />
		</span>
	);
}
