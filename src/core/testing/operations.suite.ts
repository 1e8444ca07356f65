// Valid edit operations for tests, which then change one thing.

const step = (type: string, description = `more ${type}`) => ({ type, description });
export const add = (target: string, ...types: string[]) => ({
	operation: "add_after",
	target_step_id: target,
	reason: "needed",
	new_steps: types.map((t) => step(t)),
});
export const split = (target: string, ...types: string[]) => ({
	operation: "split",
	target_step_id: target,
	reason: "too big",
	replacement_steps: types.map((t) => step(t)),
});
export const skip = (target: string) => ({ operation: "skip", target_step_id: target, reason: "not needed" });
export const reorder = (...ids: string[]) => ({ operation: "reorder", reason: "better so", new_order: ids });
export const describe = (target: string, text = "another text") => ({
	operation: "edit_description",
	target_step_id: target,
	reason: "clearer",
	new_description: text,
});
export const restart = (target: string, text = "from scratch") => ({
	operation: "restart",
	target_step_id: target,
	reason: "went wrong",
	new_description: text,
});
