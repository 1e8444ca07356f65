// A prd.json, in any dialect that text/story-list.ts reads. What a schema cannot say (ids are unique, dependencies exist and form no
// cycle) only `pawl prd validate` finds.
import { z } from "zod";

const words = z.union([z.array(z.string()), z.null()]).optional();
const flag = z.union([z.boolean(), z.null()]).optional();

const story = z.looseObject({
	id: z
		.string()
		.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
		.describe("unique in the file; becomes part of a branch's name"),
	title: z.string().regex(/\S/),
	description: z.union([z.string(), z.null()]).optional(),
	acceptanceCriteria: words.describe("what has to hold; a criterion that is a command can be checked by everybody"),
	acceptance_criteria: words.describe("another spelling of acceptanceCriteria"),
	priority: z.union([z.number(), z.null()]).optional().describe("the smallest goes first; by default the order of the list"),
	passes: flag.describe("the story is done; pawl sets it when it merges the story"),
	depends_on: words.describe("ids of stories that have to be done before"),
	dependsOn: words.describe("another spelling of depends_on"),
	expects_change: flag.describe("false: the story may be done without a change"),
	expectsChange: flag.describe("another spelling of expects_change"),
});

const stories = z.array(story).min(1);
const top = {
	name: z.unknown().optional().describe("what the run is called; also `project` or `title`"),
	project: z.unknown().optional(),
	title: z.unknown().optional(),
	description: z.unknown().optional(),
	branchName: z.unknown().optional(),
};

export const prdSchema = z
	.union([z.looseObject({ ...top, userStories: stories }), z.looseObject({ ...top, stories }), stories])
	.describe("A list of stories for pawl: `userStories` or `stories` of an object, or the list itself. Other keys are kept.");

export const prdJsonSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(prdSchema, { io: "input", unrepresentable: "any" });
