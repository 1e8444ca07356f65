// A question or an action that was not answered as asked for, and whether it may be later.

export class ApiError extends Error {
	readonly status: number;
	readonly code: string;

	constructor(status: number, code: string, message: string) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

/** Nobody answered, or the server could not for the moment. */
export const isPassing = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.status >= 500);
