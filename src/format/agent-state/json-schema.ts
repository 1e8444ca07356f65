// The JSON Schema of `agent-state.json`, for editors and other programs.
import { z } from "zod";
import { agentStateSchema } from "./document.ts";

export const agentStateJsonSchema = (): string => `${JSON.stringify(z.toJSONSchema(agentStateSchema, { io: "input" }), null, 2)}\n`;
