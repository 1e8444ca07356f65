// An agent that does everything by `pawl mcp`: a real MCP client on stdio. What it calls in a step of a type stands in a plan; what it
// is answered goes to a file beside the plan.
import { appendFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export interface Call {
	readonly tool: string;
	readonly with: Readonly<Record<string, unknown>>;
	/** Variables to set for the server; `$NAME@TYPE` is what NAME was in the step of that type. */
	readonly env?: Readonly<Record<string, string>>;
}

export interface Plan {
	readonly pawl: string;
	readonly steps: Readonly<Record<string, { readonly calls: readonly Call[]; readonly say?: string; readonly exit?: number }>>;
}

export interface Answered {
	readonly type: string;
	readonly env: Readonly<Record<string, string>>;
	readonly tools: readonly string[];
	readonly instructions: string;
	readonly answers: readonly { readonly error: boolean; readonly text: string }[];
}

const [planFile = ""] = process.argv.slice(2);
if (import.meta.main) await main();

async function main(): Promise<void> {
	readFileSync(0);
	const plan = JSON.parse(readFileSync(planFile, "utf8")) as Plan;
	const type = process.env["PAWL_STEP_TYPE"] ?? "";
	const { calls, say = "", exit = 0 } = plan.steps[type] ?? { calls: [] };
	const file = join(dirname(planFile), "answers.jsonl");
	const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
	const before = readAnswers(file);
	const answers: Answered["answers"][number][] = [];
	let [tools, instructions]: [string[], string] = [[], ""];
	// One server for all calls, as an agent has it, but for those that pretend to be somebody else.
	let own: Client | null = null;
	const connect = async (over: Readonly<Record<string, string>>): Promise<Client> => {
		const client = new Client({ name: "test", version: "0" });
		await client.connect(new StdioClientTransport({ command: plan.pawl, args: ["mcp"], env: { ...env, ...over } }));
		return client;
	};
	for (const call of calls) {
		const over = Object.entries(call.env ?? {}).map(([name, value]) => [name, earlier(value, before)]);
		const client: Client = over.length > 0 ? await connect(Object.fromEntries(over)) : (own ?? (await connect({})));
		if (over.length === 0) own = client;
		tools = (await client.listTools()).tools.map((tool) => tool.name);
		instructions = client.getInstructions() ?? "";
		const result = await client.callTool({ name: call.tool, arguments: call.with });
		const parts = result.content as readonly { readonly text?: string }[];
		answers.push({ error: result.isError === true, text: parts.map((part) => part.text ?? "").join("") });
		if (client !== own) await client.close();
	}
	await own?.close();
	appendFileSync(file, `${JSON.stringify({ type, env, tools, instructions, answers } satisfies Answered)}\n`);
	process.stdout.write(say);
	process.exit(exit);
}

export function readAnswers(file: string): Answered[] {
	try {
		return readFileSync(file, "utf8")
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => JSON.parse(line) as Answered);
	} catch {
		return [];
	}
}

function earlier(value: string, before: readonly Answered[]): string {
	const [, name = "", type = ""] = /^\$(\w+)@(\w+)$/.exec(value) ?? [];
	return name === "" ? value : (before.findLast((one) => one.type === type)?.env[name] ?? "");
}
