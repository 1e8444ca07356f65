// A list of any length: only the lines in sight, and some around them, are drawn. It can follow its end.
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";

interface LongListProps {
	readonly count: number;
	readonly name: string;
	/** The height of a line before it was measured. */
	readonly estimate: number;
	readonly keyOf?: (index: number) => string | number;
	readonly children: (index: number) => ComponentChildren;
	/** Stays at the end while the end is in sight. */
	readonly follow?: boolean;
	/** Called when a person scrolls away from the end, or back to it. */
	readonly onFollow?: (follows: boolean) => void;
	/** Brings this line into sight. */
	readonly show?: number | null;
}

export function LongList({ count, name, estimate, keyOf, children, follow = false, onFollow, show = null }: LongListProps) {
	const box = useRef<HTMLDivElement>(null);
	const [, draw] = useReducer((n: number, _: undefined) => n + 1, 0);
	const virtual = useMemo(
		() =>
			new Virtualizer<HTMLDivElement, HTMLDivElement>({
				count: 0,
				getScrollElement: () => box.current,
				estimateSize: () => estimate,
				scrollToFn: elementScroll,
				observeElementRect,
				observeElementOffset,
				overscan: 12,
				onChange: () => draw(undefined),
			}),
		[estimate],
	);
	virtual.setOptions({ ...virtual.options, count, ...(keyOf ? { getItemKey: keyOf } : {}) });
	useLayoutEffect(() => virtual._didMount(), [virtual]);
	useLayoutEffect(() => {
		virtual._willUpdate();
	});
	useEffect(() => {
		if (follow && count > 0) virtual.scrollToIndex(count - 1, { align: "end" });
	}, [follow, count, virtual]);
	useEffect(() => {
		if (show !== null && show < count) virtual.scrollToIndex(show, { align: "center" });
	}, [show, virtual]);
	const scrolled = (): void => {
		const { current } = box;
		if (current && onFollow) onFollow(current.scrollHeight - current.scrollTop - current.clientHeight < 40);
	};
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
		<div ref={box} class="long-list" role="log" aria-label={name} aria-live="off" tabIndex={0} onScrollEnd={scrolled}>
			<div class="long-list-all" style={{ height: `${virtual.getTotalSize()}px` }}>
				{virtual.getVirtualItems().map((item) => (
					<div
						key={item.key}
						class="long-list-line"
						data-index={item.index}
						ref={virtual.measureElement}
						style={{ transform: `translateY(${item.start}px)` }}
					>
						{children(item.index)}
					</div>
				))}
			</div>
		</div>
	);
}
