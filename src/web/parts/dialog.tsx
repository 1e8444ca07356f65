// A dialog of the browser: it keeps the focus inside, closes with Escape and gives the focus back.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { AlertList } from "./alert-list.tsx";

/** While one is open, the page behind it cannot be reached: alerts are said in the dialog. */
export const openDialogs = signal(0);

interface DialogProps {
	readonly title: string;
	readonly onClose: () => void;
	readonly children: ComponentChildren;
	readonly close?: string;
	/** The button that does it; without it the dialog only tells. */
	readonly does?: { readonly name: string; readonly bad?: boolean; readonly disabled?: boolean; readonly run: () => void };
}

export function Dialog({ title, onClose, children, close = "Close", does }: DialogProps) {
	const element = useRef<HTMLDialogElement>(null);
	const heading = useId();
	useEffect(() => {
		element.current?.showModal();
		openDialogs.value++;
		return () => {
			openDialogs.value--;
		};
	}, []);
	const submit = (event: Event): void => {
		event.preventDefault();
		if (!does?.disabled) does?.run();
	};
	return (
		<dialog ref={element} aria-labelledby={heading} onClose={onClose}>
			<form onSubmit={submit}>
				<h2 id={heading}>{title}</h2>
				<AlertList />
				<div class="dialog-body">{children}</div>
				<div class="actions end">
					<button type="button" onClick={() => element.current?.close()}>
						{close}
					</button>
					{does && (
						<button type="submit" class={does.bad ? "bad" : "main"} disabled={does.disabled}>
							{does.name}
						</button>
					)}
				</div>
			</form>
		</dialog>
	);
}
