// Typical mistakes of authors, most of which the compiler finds: each is one sentence that names the component and the
// field, and says what to do.
import { assert, describe, it } from "@effect/vitest"
import * as Server from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { notMade } from "../src/local/notMade.ts"
import { areRefused, type Mistaken, untyped } from "./Mistaken.ts"

const {
  Agent,
  AiSdkTool,
  Condition,
  Guardrail,
  Knowledge,
  Loop,
  McpTools,
  Router,
  Step,
  Team,
  Tool,
  Workflow
} = untyped

const a = Agent.make({ id: "a" })
const t = Tool.make({ name: "t", execute: () => 1 })

const mistakes: ReadonlyArray<Mistaken> = [
  [
    "agent without options",
    () => Agent.make(),
    "Agent takes an object with options, and was given undefined. Write an object, such as { id: … }"
  ],
  ["agent without id", () => Agent.make({ name: "x" }), "Agent has no id. Give it one: it is its path in urls"],
  ["agent id number", () => Agent.make({ id: 5 }), "Agent: id must be a text, and is the number 5"],
  [
    "agent id space",
    () => Agent.make({ id: "my agent/1" }),
    "Agent id 'my agent/1' is not usable in a url: letters, digits, '.', '_', '~' and '-' only"
  ],
  [
    "instructions numbers",
    () => Agent.make({ id: "a", instructions: [1, 2] }),
    "Agent 'a': instructions[0] must be a text, and is the number 1"
  ],
  [
    "instructions object",
    () => Agent.make({ id: "a", instructions: { text: "x" } }),
    "Agent 'a': instructions must be a text, a list of texts or a function, and is an object with text"
  ],
  [
    "tools object",
    () => Agent.make({ id: "a", tools: { t } }),
    "Agent 'a': tools must be a list, and is an object with t. Write its values in [ … ]"
  ],
  [
    "mcp command with arguments",
    () => McpTools.make({ name: "m", command: "npx -y server" }),
    "The MCP server 'm': command is one program. Write command: \"npx\", and the rest in args: [ … ]"
  ],
  [
    "tools one",
    () => Agent.make({ id: "a", tools: t }),
    "Agent 'a': tools must be a list, and is the tool 't'. Write [ … ] around it"
  ],
  [
    "tools undefined item",
    () => Agent.make({ id: "a", tools: [t, undefined] }),
    "Agent 'a': tools[1] is undefined. Is it exported under this name, and defined before it is used?"
  ],
  [
    "tools promise item",
    () => Agent.make({ id: "a", tools: [Promise.resolve(t)] }),
    "Agent 'a': tools[0] is a promise. Write await before it"
  ],
  [
    "tools nested list",
    () => Agent.make({ id: "a", tools: [[t]] }),
    "Agent 'a': tools[0] must be a tool, and is a list. Write ... before it"
  ],
  [
    "tools function",
    () => Agent.make({ id: "a", tools: [() => 1] }),
    "Agent 'a': tools[0] must be a tool, and is a function. Make it with Tool.make"
  ],
  [
    "tools options without make",
    () => Agent.make({ id: "a", tools: [{ name: "t", description: "d", execute: () => 1 }] }),
    "Agent 'a': tools[0] must be a tool, and is an object with name, description, execute. Make it with Tool.make"
  ],
  [
    "tools ai sdk",
    () => Agent.make({ id: "a", tools: [{ description: "d", inputSchema: z.object({}), execute: () => 1 }] }),
    "Agent 'a': tools[0] must be a tool, and is an object with description, inputSchema, execute. Make it a tool with AiSdkTool.make"
  ],
  [
    "tools agent",
    () => Agent.make({ id: "a", tools: [a] }),
    "Agent 'a': tools[0] must be a tool, and is the agent 'a'. Make it a tool with ComponentTool.make"
  ],
  [
    "tools duplicate",
    () => Agent.make({ id: "a", tools: [t, t] }),
    "Agent 'a' has two tools called 't'. Give one of them another name"
  ],
  [
    "tools of a provider as it describes them",
    () => Agent.make({ id: "a", tools: [{ type: "web_search" }] }),
    "Agent 'a': tools[0] must be a tool, and is an object with type. Make a tool of the provider with ProviderTool.make"
  ],
  [
    "tools of a provider of the AI SDK",
    () => Agent.make({ id: "a", tools: [{ type: "provider", id: "openai.web_search", args: {} }] }),
    "Agent 'a': tools[0] must be a tool, and is an object with type, id, args. Make a tool of the provider with ProviderTool.make"
  ],
  [
    "tool whose value of a person is none of its parameters",
    () =>
      Tool.make({
        name: "t",
        parameters: z.object({ city: z.string() }),
        requiresUserInput: ["town"],
        execute: () => 1
      }),
    "Tool 't': requiresUserInput names 'town', which it does not take. It takes city"
  ],
  [
    "toolChoice",
    () => Agent.make({ id: "a", tools: [t], toolChoice: { tool: "x" } }),
    "Agent 'a': toolChoice names 'x', which is not one of its tools"
  ],
  [
    "hooks function",
    () => Agent.make({ id: "a", hooks: () => 1 }),
    "Agent 'a': hooks must be a list, and is a function"
  ],
  [
    "hooks misspelt",
    () => Agent.make({ id: "a", hooks: [{ name: "x", beforRun: () => 1 }] }),
    "Agent 'a': hooks[0]: there is no option 'beforRun'. Did you mean 'beforeRun'?"
  ],
  [
    "hooks no name",
    () => Agent.make({ id: "a", hooks: [{ beforeRun: () => 1 }] }),
    "Agent 'a': hooks[0] has no name. Give it one, for events and errors"
  ],
  [
    "preHooks",
    () => Agent.make({ id: "a", preHooks: [{ name: "x" }] }),
    "Agent 'a': preHooks[0] has no run. Give it the function that checks"
  ],
  [
    "model number",
    () => Agent.make({ id: "a", model: 5 }),
    "Agent 'a': model must be provider:model, or a model of the AI SDK, and is the number 5"
  ],
  [
    "model old",
    () =>
      Agent.make({
        id: "a",
        model: {
          specificationVersion: "v1",
          provider: "openai",
          modelId: "gpt",
          doGenerate: () => 1,
          doStream: () => 1
        }
      }),
    "Agent 'a': model is of another version of the AI SDK (its specification is v1, and v3 and v4 work). Install the latest version of its @ai-sdk package"
  ],
  [
    "retries",
    () => Agent.make({ id: "a", retries: -1 }),
    "Agent 'a': retries must be a whole number of at least 0, not -1"
  ],
  [
    "tokenLimit text",
    () => Agent.make({ id: "a", tokenLimit: "100" }),
    "Agent 'a': tokenLimit must be a whole number of at least 1, and is the text '100'"
  ],
  [
    "runTimeout",
    () => Agent.make({ id: "a", runTimeout: "soon" }),
    "Agent 'a': runTimeout must be a length of time, such as \"2 seconds\" or a number of milliseconds"
  ],
  [
    "timezone",
    () => Agent.make({ id: "a", timezone: "Berlin" }),
    "Agent 'a': there is no timezone 'Berlin'. Use a name of the IANA database, such as Europe/Paris"
  ],
  [
    "limits",
    () => Agent.make({ id: "a", limits: { concurrent: -1 } }),
    "Agent 'a': limits: there is no option 'concurrent'. Its options are runsAtOnce, runsPerMinute, tokensPerDay"
  ],
  [
    "markdown",
    () => Agent.make({ id: "a", markdown: "yes" }),
    "Agent 'a': markdown must be true or false, and is the text 'yes'"
  ],
  [
    "checkpoint",
    () => Agent.make({ id: "a", checkpoint: "always" }),
    "Agent 'a': checkpoint must be one of runs, tool-batch, not always"
  ],
  [
    "modelSettings",
    () => Agent.make({ id: "a", modelSettings: { temprature: 1 } }),
    "Agent 'a': modelSettings: there is no option 'temprature'. Did you mean 'temperature'?"
  ],
  [
    "memory",
    () => Agent.make({ id: "a", memory: "yes" }),
    "Agent 'a': memory must be true, false or an object with options, and is the text 'yes'"
  ],
  [
    "knowledge",
    () => Agent.make({ id: "a", knowledge: "docs" }),
    "Agent 'a': knowledge must be made by Knowledge.make, and is the text 'docs'. Write Knowledge.make({ folder: … })"
  ],
  [
    "tool without name",
    () => Tool.make({ execute: () => 1 }),
    "A tool has no name. Give it one, which the model calls it by"
  ],
  [
    "tool without execute",
    () => Tool.make({ name: "t" }),
    "Tool 't' has no execute. Only a tool with externalExecution can do without"
  ],
  [
    "tool name space",
    () => Tool.make({ name: "my tool", execute: () => 1 }),
    "Tool name 'my tool' is not usable: letters, digits, '_' and '-' only, at most 64"
  ],
  [
    "names of an MCP server as a text",
    () => McpTools.make({ name: "m", url: "http://x", requiresConfirmation: "pay" }),
    "The MCP server 'm': requiresConfirmation must be true, false or a list of texts, and is the text 'pay'"
  ],
  [
    "tool effects",
    () => Tool.make({ name: "t", effects: "none", execute: () => 1 }),
    "Tool 't': effects must be one of read, idempotent, once, not none"
  ],
  [
    "tool retries",
    () => Tool.make({ name: "t", retries: 3, execute: () => 1 }),
    "Tool 't': retries would repeat its effect. Set effects to \"read\" or \"idempotent\""
  ],
  ["team without members", () => Team.make({ id: "t" }), "Team 't' has no members. Give it at least one agent or team"],
  [
    "model of another library",
    () => Agent.make({ id: "a", model: { provider: "openai", name: "gpt-5" } }),
    "Agent 'a': model must be provider:model, or a model of the AI SDK, and is an object with provider, name. " +
    "Write \"openai:gpt-5\""
  ],
  [
    "list of models",
    () => Agent.make({ id: "a", model: ["openai:gpt-5"] }),
    "Agent 'a': model must be provider:model, or a model of the AI SDK, and is a list. " +
    "Give it one, and the others as fallbackModels: [ … ]"
  ],
  [
    "function of models",
    () => Agent.make({ id: "a", model: () => "openai:gpt-5" }),
    "Agent 'a': model must be provider:model, or a model of the AI SDK, and is a function. " +
    "For a model of each request, make the agent with AgentFactory.make"
  ],
  [
    "servers of MCP",
    () => McpTools.make({ servers: { files: { url: "http://x" } } }),
    "The MCP server: there is no option 'servers'. " +
    "Each server is one of its own: [ McpTools.make({ … }), McpTools.make({ … }) ]"
  ],
  [
    "name of a tool",
    () => Agent.make({ id: "a", tools: ["weather"] }),
    "Agent 'a': tools[0] must be a tool, and is the text 'weather'. Give what Tool.make returned, not its id or name"
  ],
  [
    "id of an agent",
    () => untyped.Application.make({ agents: ["a"] }),
    "serve: agents[0] must be an agent or its factory, and is the text 'a'. Give what Agent.make returned, not its id " +
    "or name"
  ],
  [
    "team member undefined",
    () => Team.make({ id: "t", members: [a, undefined] }),
    "Team 't': members[1] is undefined. Is it exported under this name, and defined before it is used?"
  ],
  [
    "team member id",
    () => Team.make({ id: "t", members: ["a"] }),
    "Team 't': members[0] must be an agent or a team, and is the text 'a'. Give what Agent.make or Team.make returned, not its id or name"
  ],
  [
    "team member twice",
    () => Team.make({ id: "t", members: [a, a] }),
    "Team 't' has two members with the id 'a': t > a"
  ],
  [
    "team mode",
    () => Team.make({ id: "t", members: [a], mode: "collaborate" }),
    "Team 't': mode must be one of coordinate, route, broadcast, tasks, not collaborate"
  ],
  [
    "team in itself",
    () => Team.make({ id: "t", members: [Team.make({ id: "t", members: [a] })] }),
    "Team 't' is a member of itself: t > t. Give one of the two another id"
  ],
  [
    "steps as a map",
    () => Workflow.make({ id: "w", steps: { a: () => 1 } }),
    "Workflow 'w': steps must be a list, and is an object with a. Write its values in [ … ]"
  ],
  [
    "choices as a map",
    () => Router.make({ name: "r", choices: { a: () => 1 }, selector: () => "a" }),
    "Router 'r': choices must be a list, and is an object with a. Write its values in [ … ]"
  ],
  [
    "members as a map",
    () => Team.make({ id: "t", members: { a } }),
    "Team 't': members must be a list, and is an object with a. Write its values in [ … ]"
  ],
  [
    "steps with a function of the library",
    () => Workflow.make({ id: "w", steps: [Step.make] }),
    "Workflow 'w': steps[0] must be a step, a function, an agent, a team or a workflow, and is Step.make. Call it with " +
    "its options: Step.make({ … })"
  ],
  [
    "steps with a function that makes agents",
    () => Loop.make({ name: "l", steps: [Agent.make] }),
    "Loop 'l': steps[0] must be a step, a function, an agent, a team or a workflow, and is Agent.make. Call it with " +
    "its options: Agent.make({ … })"
  ],
  [
    "tools with a function of the library",
    () => Agent.make({ id: "a", tools: [Tool.make] }),
    "Agent 'a': tools[0] must be a tool, and is Tool.make. Call it with its options: Tool.make({ … })"
  ],
  ["workflow empty", () => Workflow.make({ id: "w", steps: [] }), "Workflow 'w': steps is empty. Give it at least one"],
  [
    "workflow undefined step",
    () => Workflow.make({ id: "w", steps: [undefined] }),
    "Workflow 'w': steps[0] is undefined. Is it exported under this name, and defined before it is used?"
  ],
  [
    "workflow text step",
    () => Workflow.make({ id: "w", steps: ["a"] }),
    "Workflow 'w': steps[0] must be a step, a function, an agent, a team or a workflow, and is the text 'a'. Give what Step.make returned, not its id or name"
  ],
  [
    "workflow list of steps",
    () => Workflow.make({ id: "w", steps: [[() => true, () => 1]] }),
    "Workflow 'w': steps[0] must be a step, a function, an agent, a team or a workflow, and is a list. Write ... before " +
    "it, or make it with Steps.make, Parallel.make or Condition.make"
  ],
  [
    "workflow object step",
    () => Workflow.make({ id: "w", steps: [{ name: "x", run: () => 1 }] }),
    "Workflow 'w': steps[0] must be a step, a function, an agent, a team or a workflow, and is an object with name, run. Make it with Step.make"
  ],
  [
    "workflow both",
    () => Workflow.make({ id: "w", steps: [() => 1], run: () => 1 }),
    "Workflow 'w' has both steps and run. Use run for one function, and steps for all else"
  ],
  ["step without name", () => Step.make({ run: () => 1 }), "A step needs a name"],
  ["step nothing", () => Step.make({ name: "s" }), "Step 's' needs one of run, agent, team and workflow, and has 0"],
  [
    "step two",
    () => Step.make({ name: "s", agent: a, run: () => 1 }),
    "Step 's' needs one of run, agent, team and workflow, and has 2"
  ],
  [
    "step agent is team",
    () => Step.make({ name: "s", agent: Team.make({ id: "t", members: [a] }) }),
    "Step 's': agent must be an agent or its id, and is the team 't'"
  ],
  [
    "step agent function",
    () => Step.make({ name: "s", agent: () => a }),
    "Step 's': agent must be an agent or its id, and is a function"
  ],
  ["step run text", () => Step.make({ name: "s", run: "x" }), "Step 's': run must be a function, and is the text 'x'"],
  [
    "step onError",
    () => Step.make({ name: "s", agent: a, onError: "ignore" }),
    "Step 's': onError must be one of fail, skip, pause, not ignore"
  ],
  [
    "step confirmation",
    () => Step.make({ name: "s", agent: a, confirmation: "Really?" }),
    "Step 's': confirmation takes an object with options, and was given the text 'Really?'. Write an object, such as { message: … }"
  ],
  [
    "step onReject",
    () => Step.make({ name: "s", agent: a, confirmation: true, onReject: "skip" }),
    "Step 's': there is no option 'onReject'. Write confirmation: { onReject: … }"
  ],
  [
    "loop max",
    () => Loop.make({ name: "l", steps: [() => 1], maxIterations: 0 }),
    "Loop 'l': maxIterations must be a whole number of at least 1, not 0"
  ],
  [
    "condition no evaluator",
    () => Condition.make({ name: "c", steps: [() => 1] }),
    "Condition 'c': evaluator must be a function, true or false, and is undefined. Is it exported under this name, and defined before it is used?"
  ],
  [
    "router nothing",
    () => Router.make({ name: "r", choices: [() => 1] }),
    "Router 'r' needs one of selector, for a function, and selection, for a person"
  ],
  [
    "an option that is longer than a message",
    () => Agent.make({ id: "a", ["a".repeat(100_000)]: 1 }),
    `Agent 'a': there is no option '${"a".repeat(80)}…'. docs/reference/options.md has its options`
  ],
  [
    "a value that is longer than a message",
    () => Team.make({ id: "t", members: [a], mode: "a ".repeat(50_000) }),
    `Team 't': mode must be one of coordinate, route, broadcast, tasks, not ${"a ".repeat(1000).slice(0, 2000 - 71)}…`
  ],
  [
    "an option with a command for terminals",
    () => Agent.make({ id: "a", "\u001b[31m": 1 }),
    "Agent 'a': there is no option '\\u001b[31m'. docs/reference/options.md has its options"
  ],
  [
    "guardrail type",
    () => Guardrail.pii({ types: ["emails"] }),
    "Guardrail.pii: types must be one of email, phone, card, iban, national_id, not emails"
  ],
  [
    "guardrail place",
    () => Guardrail.pii({ on: ["answer"] }),
    "Guardrail.pii: on must be one of input, output, results, arguments, not answer"
  ],
  [
    "guardrail on text",
    () => Guardrail.pii({ on: "output" }),
    "Guardrail.pii: on must be a list, and is the text 'output'. Write [ … ] around it"
  ],
  [
    "guardrail action",
    () => Guardrail.pii({ action: "redact" }),
    "Guardrail.pii: action must be one of mask, block, note, not redact"
  ],
  [
    "guardrail misspelt",
    () => Guardrail.secrets({ masks: () => "" }),
    "Guardrail.secrets: there is no option 'masks'. Did you mean 'mask'?"
  ],
  [
    "guardrail length negative",
    () => Guardrail.length({ max: -5 }),
    "Guardrail.length: max must be a whole number of at least 0, not -5"
  ],
  [
    "guardrail moderation",
    () => Guardrail.moderation({}),
    "Guardrail.moderation has no apiKey. Give it the key of the endpoint"
  ],
  [
    "guardrail not called",
    () => Agent.make({ id: "a", hooks: [Guardrail.pii] }),
    "Agent 'a': hooks[0] takes an object with options, and was given a function. Is it to be called? Write () after it"
  ],
  [
    "tool of the AI SDK without a name",
    () => AiSdkTool.make({ description: "d", inputSchema: z.object({}), execute: () => 1 }),
    "AiSdkTool takes the name of the tool first, and was given an object with description, inputSchema, execute. " +
    "Write AiSdkTool.make(\"name\", tool)"
  ],
  [
    "name without a tool of the AI SDK",
    () => AiSdkTool.make("weather"),
    "Tool 'weather': the tool of the AI SDK must be an object, and is undefined. Is it exported under this name, and " +
    "defined before it is used?"
  ],
  [
    "guardrail length of nothing",
    () => Guardrail.length({}),
    "Guardrail.length checks nothing. Give it max or min"
  ],
  [
    "guardrail topics of nothing",
    () => Guardrail.topics({ allowed: [] }),
    "Guardrail.topics checks nothing. Give it topics that are allowed or refused"
  ],
  [
    "knowledge misspelt",
    () => Knowledge.make({ name: "k", chunksize: 5 }),
    "Knowledge 'k': there is no option 'chunksize'. Did you mean 'chunkSize'?"
  ]
]

describe("mistakes of authors", () => {
  areRefused(mistakes)

  it.each([
    // @ts-expect-error: the type knows it
    [() => new Server.Tool(), "Tool is no class. Write Tool.make({ … })"],
    // @ts-expect-error: the type knows it
    [() => new Server.Workflow(), "Workflow is no class. Write Workflow.make({ … })"],
    // @ts-expect-error: the type knows it
    [() => Server.Team(), "Team is no function. Write Team.make({ … })"],
    // @ts-expect-error: the type knows it
    [() => new Server.standardRoles(), undefined]
  ])(
    "what the platform throws for `new Agent(…)` becomes a sentence with the name of the function: %#",
    (make, text) => {
      let thrown: unknown
      try {
        make()
      } catch (error) {
        thrown = error
      }
      assert.strictEqual(notMade(thrown)?.message, text)
    }
  )

  it.each(Tier.some(
    [
      [
        "app.ts",
        "serve({ agents: [Agent.make({ id: \"a\", tool: [] })] })\n",
        /^Agent 'a': there is no option 'tool'\. Did you mean 'tools'\? \(.*app\.ts:3\)$/
      ],
      [
        "app.ts",
        "serve({ agents: [new Agent({ id: \"a\" })] })\n",
        /^Agent is no class\. Write Agent\.make\(\{ … \}\) \(.*app\.ts:3\)$/
      ],
      [
        "app.cjs",
        "serve({ agents: [Agent.make({ id: \"a\", tool: [] })] })\n",
        /^Agent 'a': there is no option 'tool'\. Did you mean 'tools'\? \(.*app\.cjs:3\)$/
      ],
      [
        "app.ts",
        "serve({ agents: [] }); serve({ agents: [] })\n",
        /^serve was called before in this program\. Give all components to one call: serve\(\{ agents: \[ … \] \}\) \(.*app\.ts:3\)$/
      ]
    ] as const,
    1
  ))("the process ends with one line that has the place of the mistake, and no stack: %s", (name, code, expected) => {
    const folder = mkdtempSync(join(tmpdir(), "mistakes-"))
    const index = new URL("../src/index.ts", import.meta.url).href
    const file = name === "app.ts" ? `"${index}"` : `require("${fileURLToPath(index)}")`
    const imported = name === "app.ts" ? `import { Agent, serve } from ${file}` : `const { Agent, serve } = ${file}`
    writeFileSync(join(folder, name), `${imported}\n\n${code}`)
    const { status, stderr } = spawnSync(process.execPath, [name], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, PORT: "0", DATA_DIR: "memory" }
    })
    rmSync(folder, { recursive: true })
    assert.strictEqual(status, 1)
    const [line, ...others] = stderr.trim().split("\n")
    assert.deepStrictEqual(others, [])
    const { error_code, level, message } = JSON.parse(line ?? "")
    assert.deepStrictEqual([level, error_code], ["FATAL", "Mistake"])
    assert.match(message, expected)
  })
})
