// Starting, watching and ending processes. See the functions below.
export {};
