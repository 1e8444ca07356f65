// The layout of a spec, as the prompts of its authors show it. task.ts reads it.

export const SPEC_LAYOUT = `    # Task N: what it is, in a few words

    What is to be done, and why.

    ## Acceptance criteria
    - word for word as in the issue: those that this task fulfils

    ## Files
    src/one.rs
    src/two/**

    ## Code context
    What is there already, with names and places.

    ## Integration contracts
    What it needs from other tasks and gives to them, in words; or: None.

    ## Test design
    What is tested, and how.

    ## Test command
    cargo test

    Depends on: task 2, task 3 | none
    New symbols: yes | no

\`## Files\` has one path or glob per line, relative to the worktree. Only these files may be changed by whoever implements the task, and tests among them stay out of bounds: somebody else writes the tests. \`## Test command\` is one plain line. \`Depends on\` names the tasks that must be finished before this one can start; nothing else in the file is read as a dependency. \`New symbols\` says whether the task adds functions or types that tests have to name.`;
