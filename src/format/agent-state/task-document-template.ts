// The task document that a user starts from.

export const TEMPLATE = `# What is to be done

What this is about, for everybody who works on it: the goal, what exists already, what must not change.

## Phase 1: Foundation

### Task 1.1: A short name

What is to be done, in as many words as it takes: where, how, what to look at first.

- [ ] The function exists and is exported
- [ ] Its tests pass \`npm test\`

### Task 1.2: Another one

Tasks are worked on in this order, one after the other, until their success criteria hold.

- [ ] The migration can be run \`npm run migrate -- --dry-run\`

## Phase 2: On top of it

### Task 2.1: The rest

A criterion that ends in a command in backticks is checked by running it: it must exit 0. Other criteria are taken at the
agent's word. A name in backticks with words after it, such as \`UserModel\` here, is no command.

- [ ] \`UserModel\` has a field for the role
- [ ] The documentation tells about it
`;
