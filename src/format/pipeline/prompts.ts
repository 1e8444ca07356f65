// The frame around the inputs of a pipeline's steps, and the input of the step that repairs what a later step found.

export const FRAME = `{{looked_before}}

{{instructions}}

{{surroundings}}

{{agent_files}}
`;

/** `step`: the step that found it. */
export const fixPrompt = (step: string): string => `The step \`${step}\` sent the work back to you. Mend what it found, nothing else.

WHAT IS TO BE CHANGED
{{feedback}}

TASK
{{task}}

STORIES THAT WERE DONE
{{completed_stories}}

PROGRESS LOG
{{progress}}

1. Look at the work so far (\`git diff {{base_commit}}..HEAD\`) and understand each point before you change anything.
2. Mend every point. Where one is wrong, say why in CHANGES instead of changing code for its own sake: \`${step}\` reads it when it looks again.
3. Run the repository's checks. {{how_to_check}}
4. Commit what you changed, with a message that says what it mends, not as a story.

Answer with:
STATUS: done
CHANGES: point by point, what you changed, or why nothing is to be changed
TESTS: what you ran and how it ended

If it cannot be mended, answer with:
STATUS: blocked
REASON: why, with file and line
`;
