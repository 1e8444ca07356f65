// The frame around the inputs of a pipeline's steps, and the input of the step that repairs what a later step found.

export const FRAME = `{{instructions}}

{{surroundings}}

{{agent_files}}
`;

export const FIX_PROMPT = `A later step of this run sent the work back to you. Mend what it found, nothing else.

WHAT IS TO BE CHANGED
{{feedback}}

TASK
{{task}}

STORIES THAT WERE DONE
{{completed_stories}}

PROGRESS LOG
{{progress}}

1. Look at the work so far (\`git diff {{base_commit}}..HEAD\`) and understand each point before you change anything.
2. Mend every point. Where one is wrong, say why in CHANGES instead of changing code for its own sake.
3. Run the type check, the linter and all tests. {{how_to_check}}
4. Commit what you changed, with a message that says what it mends. Whoever sent it back looks again.

Answer with:
STATUS: done
CHANGES: what you changed, point by point
TESTS: what you ran and how it ended
`;
