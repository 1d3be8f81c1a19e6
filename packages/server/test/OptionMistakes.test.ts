// Mistakes in the names of options, most of which other libraries have.
import { assert, describe, it } from "@effect/vitest"
import { z } from "zod"
import { areRefused, type Mistaken, untyped } from "./Mistaken.ts"

const {
  Agent,
  AgentFactory,
  Application,
  ComponentTool,
  Condition,
  Guardrail,
  Knowledge,
  Loop,
  McpTools,
  Parallel,
  Router,
  Step,
  Team,
  Tool,
  Workflow
} = untyped

const a = Agent.make({ id: "a" })
const s = Step.make({ name: "s", run: () => 1 })
const t = Tool.make({ name: "t", execute: () => 1 })
const w = Workflow.make({ id: "w", steps: [s] })

const mistakes: ReadonlyArray<Mistaken> = [
  [
    "agent misspelt",
    () => Agent.make({ id: "a", instruction: "x" }),
    "Agent 'a': there is no option 'instruction'. Did you mean 'instructions'?"
  ],
  [
    "agent prompt",
    () => Agent.make({ id: "a", systemPrompt: "x" }),
    "Agent 'a': there is no option 'systemPrompt'. Did you mean 'instructions'?"
  ],
  [
    "agent nonsense option",
    () => Agent.make({ id: "a", colour: "x" }),
    "Agent 'a': there is no option 'colour'. docs/reference/options.md has its options"
  ],
  [
    "tool handler",
    () => Tool.make({ name: "t", handler: () => 1 }),
    "Tool 't': there is no option 'handler'. Did you mean 'execute'?"
  ],
  [
    "tool id",
    () => Tool.make({ id: "t", execute: () => 1 }),
    "Tool: there is no option 'id'. Did you mean 'name'?"
  ],
  [
    "tool inputSchema",
    () => Tool.make({ name: "t", inputSchema: z.object({}), execute: () => 1 }),
    "Tool 't': there is no option 'inputSchema'. Did you mean 'parameters'?"
  ],
  [
    "option temperature",
    () => Agent.make({ id: "a", temperature: 0 }),
    "Agent 'a': there is no option 'temperature'. Write modelSettings: { temperature: … }"
  ],
  [
    "option stopWhen",
    () => Agent.make({ id: "a", stopWhen: [] }),
    "Agent 'a': there is no option 'stopWhen'. Did you mean 'toolCallLimit'?"
  ],
  [
    "option needsApproval",
    () => Tool.make({ name: "t", needsApproval: true, execute: () => 1 }),
    "Tool 't': there is no option 'needsApproval'. Did you mean 'requiresConfirmation'?"
  ],
  [
    "team agents",
    () => Team.make({ id: "t", agents: [a] }),
    "Team 't': there is no option 'agents'. Did you mean 'members'?"
  ],
  [
    "workflow step misspelt",
    () => Workflow.make({ id: "w", step: [] }),
    "Workflow 'w': there is no option 'step'. Did you mean 'steps'?"
  ],
  [
    "step execute",
    () => Step.make({ name: "s", execute: () => 1 }),
    "Step 's': there is no option 'execute'. Did you mean 'run'?"
  ],
  [
    "guardrail length",
    () => Guardrail.length({ maximum: 5 }),
    "Guardrail.length: there is no option 'maximum'. Did you mean 'max'?"
  ],
  [
    "a number as the options of a guardrail",
    () => Guardrail.length(5),
    "Guardrail.length takes an object with options, and was given the number 5. Write an object, such as { name: … }"
  ],
  [
    "option stopAfterToolCall",
    () => Tool.make({ name: "t", stopAfterToolCall: true, execute: () => 1 }),
    "Tool 't': there is no option 'stopAfterToolCall'. Did you mean 'stopAfterCall'?"
  ],
  [
    "option until of a loop",
    () => Loop.make({ name: "l", steps: [() => 1], until: () => true }),
    "Loop 'l': there is no option 'until'. Did you mean 'endCondition'?"
  ],
  [
    "option subAgents",
    () => Agent.make({ id: "a", subAgents: [a] }),
    "Agent 'a': there is no option 'subAgents'. Make a team of them with Team.make, or a tool of each with ComponentTool.make"
  ],
  [
    "option agents of an agent",
    () => Agent.make({ id: "a", agents: [a] }),
    "Agent 'a': there is no option 'agents'. Make a team of them with Team.make, or a tool of each with ComponentTool.make"
  ],
  [
    "option subAgents of a team",
    () => Team.make({ id: "t", subAgents: [a] }),
    "Team 't': there is no option 'subAgents'. Did you mean 'members'?"
  ],
  [
    "mcp misspelt",
    () => McpTools.make({ name: "m", uri: "http://x" }),
    "The MCP server 'm': there is no option 'uri'. Did you mean 'url'?"
  ],
  [
    "componentTool",
    () => ComponentTool.make({ agent: a }),
    "ComponentTool: there is no option 'agent'. Did you mean 'component'?"
  ],
  [
    "componentTool agent",
    () => ComponentTool.make(a),
    "ComponentTool 'a' takes an object with options, and was given the agent 'a'. Write { component: … }"
  ],
  [
    "factory",
    () => AgentFactory.make({ id: "f", make: () => a }),
    "The agent factory 'f': there is no option 'make'. Did you mean 'build'?"
  ],
  [
    "the options of an agent that was made",
    () => Agent.make({ ...a as object, id: "b" }),
    "Agent 'b' takes an object with options, and was given the agent 'b'. Spread its options, not what was made of them"
  ],
  [
    "step of an agent",
    () => Step.make(a),
    "Step 'a' takes an object with options, and was given the agent 'a'. Write { name: …, agent: … }"
  ],
  [
    "team of an agent",
    () => Team.make(a),
    "Team 'a' takes an object with options, and was given the agent 'a'. Write { id: …, members: [ … ] }"
  ],
  [
    "workflow of an agent",
    () => Workflow.make(a),
    "Workflow 'a' takes an object with options, and was given the agent 'a'. Write { id: …, steps: [ … ] }"
  ],
  [
    "factory of an agent",
    () => AgentFactory.make(a),
    "The agent factory 'a' takes an object with options, and was given the agent 'a'. Write { id: …, build: () => … }"
  ],
  [
    "tool of a name",
    () => Tool.make("weather", { execute: () => 1 }),
    "Tool takes an object with options, and was given the text 'weather'. Write an object, such as { name: … }"
  ],
  [
    "hook that is a function",
    () => Agent.make({ id: "a", preHooks: [() => 1] }),
    "Agent 'a': preHooks[0] takes an object with options, and was given a function. Write { name: …, run: … }, or () " +
    "after it if it makes one"
  ],
  [
    "settings of a model as a text",
    () => Agent.make({ id: "a", modelSettings: { temperature: "0.5" } }),
    "Agent 'a': modelSettings: temperature must be a number, and is the text '0.5'"
  ],
  [
    "settings of a model beyond what they can be",
    () => Agent.make({ id: "a", modelSettings: { maxOutputTokens: 0 } }),
    "Agent 'a': modelSettings cannot be used. Expected a value between 1 and 2147483647 at [\"maxOutputTokens\"]"
  ],
  [
    "reasoning as OpenAI writes it",
    () => Agent.make({ id: "a", modelSettings: { reasoning: { effort: "low" } } }),
    "Agent 'a': modelSettings: reasoning must be one of none, minimal, low, medium, high, xhigh, max, and is an object " +
    "with effort"
  ],
  [
    "choice of a tool in the settings of a model",
    () => Agent.make({ id: "a", modelSettings: { toolChoice: "required" } }),
    "Agent 'a': modelSettings: there is no option 'toolChoice'. It is an option of the agent: write it beside modelSettings"
  ],
  [
    "history in the memory",
    () => Agent.make({ id: "a", memory: { lastMessages: 5 } }),
    "Agent 'a': memory: there is no option 'lastMessages'. Set addHistoryToContext and numHistoryRuns of the agent"
  ],
  [
    "parallel steps one by one",
    () => Parallel.make(s, s),
    "Parallel 's' takes an object with options, and was given the step 's'. Write { name: …, steps: [ … ] }"
  ],
  [
    "loop of a step",
    () => Loop.make(Parallel.make({ name: "p", steps: [s] })),
    "Loop 'p' takes an object with options, and was given the step 'p'. Write { name: …, steps: [ … ] }"
  ],
  [
    "condition of a step",
    () => Condition.make(s),
    "Condition 's' takes an object with options, and was given the step 's'. Write { name: …, evaluator: …, steps: [ … ] }"
  ],
  [
    "router of a step",
    () => Router.make(s),
    "Router 's' takes an object with options, and was given the step 's'. Write { name: …, selector: …, choices: [ … ] }"
  ],
  [
    "workflow of a step",
    () => Workflow.make(s),
    "Workflow takes an object with options, and was given the step 's'. Write { id: …, steps: [ … ] }"
  ],
  [
    "step of a step",
    () => Step.make(s),
    "Step 's' takes an object with options, and was given the step 's'. Spread its options, not what was made of them"
  ],
  [
    "agent of a tool",
    () => Agent.make(t),
    "Agent takes an object with options, and was given the tool 't'. Write { id: …, tools: [ … ] }"
  ],
  [
    "tool of an agent",
    () => Tool.make(a),
    "Tool 'a' takes an object with options, and was given the agent 'a'. Write ComponentTool.make({ component: … })"
  ],
  [
    "factory that is an agent",
    () => AgentFactory.make({ id: "f", build: a }),
    "The agent factory 'f': build must be a function, and is the agent 'a'. Write () => … before it"
  ],
  [
    "tool of a schema",
    () => Tool.make(z.object({ a: z.string() })),
    "Tool takes an object with options, and was given a schema. Write { name: …, parameters: … }"
  ]
]

const makers = {
  agent: (more: object) => Agent.make({ id: "a", ...more }),
  condition: (more: object) => Condition.make({ name: "c", evaluator: true, steps: [() => 1], ...more }),
  knowledge: (more: object) => Knowledge.make({ name: "k", ...more }),
  loop: (more: object) => Loop.make({ name: "l", steps: [() => 1], ...more }),
  mcp: (more: object) => McpTools.make({ name: "m", url: "http://x", ...more }),
  pii: (more: object) => Guardrail.pii(more),
  schedule: (more: object) =>
    Application.make({ agents: [a], schedules: [{ name: "s", cron: "0 9 * * *", component: a, ...more }] }),
  serve: (more: object) => Application.make({ agents: [a], ...more }),
  step: (more: object) => Step.make({ name: "s", run: () => 1, ...more }),
  team: (more: object) => Team.make({ id: "t", members: [a], ...more }),
  tool: (more: object) => Tool.make({ name: "t", execute: () => 1, ...more }),
  workflow: (more: object) => Workflow.make({ id: "w", steps: [() => 1], ...more })
}

/** What is made, the name, its owner, and what to do. */
const foreign: ReadonlyArray<readonly [keyof typeof makers, string, owner: string, todo: string]> = [
  ["agent", "system_prompt", "Agent 'a'", "Did you mean 'instructions'?"],
  ["agent", "sytemPrompt", "Agent 'a'", "Did you mean 'instructions'?"],
  ["agent", "max_tokens", "Agent 'a'", "Write modelSettings: { maxOutputTokens: … }"],
  ["agent", "temprature", "Agent 'a'", "Write modelSettings: { temperature: … }"],
  ["agent", "topP", "Agent 'a'", "Write modelSettings: { topP: … }"],
  ["agent", "reasoningEffort", "Agent 'a'", "Write modelSettings: { reasoning: … }"],
  ["agent", "providerOptions", "Agent 'a'", "Write modelSettings: { providerOptions: … }"],
  ["agent", "maxTurns", "Agent 'a'", "Did you mean 'toolCallLimit'?"],
  ["agent", "max_turns", "Agent 'a'", "Did you mean 'toolCallLimit'?"],
  ["agent", "responseFormat", "Agent 'a'", "Did you mean 'outputSchema'?"],
  ["agent", "response_format", "Agent 'a'", "Did you mean 'outputSchema'?"],
  ["agent", "outputType", "Agent 'a'", "Did you mean 'outputSchema'?"],
  ["agent", "llm", "Agent 'a'", "Did you mean 'model'?"],
  ["agent", "session_state", "Agent 'a'", "Give it to each run, as in agent.run({ message: …, session_id: … })"],
  ["agent", "schema", "Agent 'a'", "Did you mean 'inputSchema' or 'outputSchema'?"],
  ["agent", "inputGuardrails", "Agent 'a'", "Did you mean 'hooks'?"],
  ["agent", "output_guardrails", "Agent 'a'", "Did you mean 'hooks'?"],
  ["agent", "outputProcessors", "Agent 'a'", "Did you mean 'hooks'?"],
  ["agent", "session", "Agent 'a'", "Give it to each run, as in agent.run({ message: …, session_id: … })"],
  ["agent", "budget", "Agent 'a'", "Give serve a budget of it: { budgets: [ … ] }"],
  ["agent", "enable_user_memories", "Agent 'a'", "Did you mean 'memory'?"],
  ["agent", "checkpointer", "Agent 'a'", "Leave it out: sessions and runs are stored by themselves"],
  ["agent", "scorers", "Agent 'a'", "Did you mean 'onlineScoring'?"],
  ["agent", "handoffs", "Agent 'a'", "Make a team of them with Team.make, or a tool of each with ComponentTool.make"],
  ["agent", "mcpServers", "Agent 'a'", "Write tools: [ McpTools.make({ … }) ]"],
  ["agent", "mcp", "Agent 'a'", "Write tools: [ McpTools.make({ … }) ]"],
  ["agent", "experimental_telemetry", "Agent 'a'", "Leave it out: each run has a trace"],
  ["agent", "voice", "Agent 'a'", "Give the sound to each run, as a file"],
  ["agent", "activeTools", "Agent 'a'", "An AgentFactory builds an agent with the tools of each run"],
  ["agent", "interrupt_before", "Agent 'a'", "Set requiresConfirmation of the tools that wait for a person"],
  ["agent", "approval", "Agent 'a'", "Set requiresConfirmation of the tools that wait for a person"],
  ["agent", "needsApproval", "Agent 'a'", "Set requiresConfirmation of the tools that wait for a person"],
  ["team", "requiresConfirmation", "Team 't'", "Set requiresConfirmation of the tools that wait for a person"],
  ["agent", "debug_mode", "Agent 'a'", "Set the variable LOG_LEVEL of the environment to Debug"],
  ["agent", "show_tool_calls", "Agent 'a'", "Leave it out: the events of each run have its calls"],
  [
    "agent",
    "apiKey",
    "Agent 'a'",
    "Set the variable of its provider, such as OPENAI_API_KEY, or give model one of the AI SDK"
  ],
  ["agent", "maxRetries", "Agent 'a'", "Did you mean 'retries'?"],
  ["tool", "isEnabled", "Tool 't'", "An AgentFactory builds an agent with the tools of each run"],
  ["tool", "errorFunction", "Tool 't'", "Throw new Tool.ToolFailed({ message: … }) in execute: the model reads it"],
  ["tool", "editable", "Tool 't'", "Leave it out: who confirms a call can edit its arguments"],
  ["tool", "confirmation", "Tool 't'", "Did you mean 'requiresConfirmation'?"],
  ["tool", "userInput", "Tool 't'", "Did you mean 'requiresUserInput'?"],
  ["tool", "retry", "Tool 't'", "Did you mean 'retries'?"],
  ["tool", "idempotent", "Tool 't'", "Did you mean 'effects'?"],
  ["tool", "invoke", "Tool 't'", "Did you mean 'execute'?"],
  ["tool", "input", "Tool 't'", "Did you mean 'parameters'?"],
  ["tool", "args", "Tool 't'", "Did you mean 'parameters'?"],
  ["tool", "args_schema", "Tool 't'", "Did you mean 'parameters'?"],
  ["tool", "outputSchema", "Tool 't'", "Leave it out: the result is any JSON"],
  ["tool", "type", "Tool 't'", "Write { name: …, parameters: …, execute: … } alone"],
  ["tool", "toModelOutput", "Tool 't'", "Return from execute what the model reads"],
  ["tool", "returnDirect", "Tool 't'", "Did you mean 'stopAfterCall'?"],
  ["tool", "suspendSchema", "Tool 't'", "Ask a person with pause() in execute"],
  ["team", "leader", "Team 't'", "docs/reference/options.md has its options"],
  ["team", "supervisor", "Team 't'", "Did you mean 'model'?"],
  ["team", "sub_agents", "Team 't'", "Did you mean 'members'?"],
  ["team", "maxRounds", "Team 't'", "Did you mean 'maxIterations'?"],
  ["workflow", "nodes", "Workflow 'w'", "Did you mean 'steps'?"],
  ["workflow", "outputSchema", "Workflow 'w'", "Its result is that of its last step"],
  ["workflow", "schedule", "Workflow 'w'", "Give serve a schedule of it: { schedules: [ … ] }"],
  ["workflow", "foreach", "Workflow 'w'", "Write ForEach.make({ … }) among its steps"],
  ["workflow", "parallel", "Workflow 'w'", "Write Parallel.make({ … }) among its steps"],
  ["workflow", "edges", "Workflow 'w'", "Leave it out: steps follow each other as they are listed"],
  ["workflow", "interruptBefore", "Workflow 'w'", "Set confirmation of the steps that wait for a person"],
  ["workflow", "execute", "Workflow 'w'", "Did you mean 'run'?"],
  ["step", "form", "Step 's'", "Did you mean 'userInput'?"],
  ["step", "waitForEvent", "Step 's'", "Call it in run, as in run: ({ sleep, waitFor }) => …"],
  ["step", "sleep", "Step 's'", "Call it in run, as in run: ({ sleep, waitFor }) => …"],
  ["step", "executor", "Step 's'", "Did you mean 'agent' or 'run'?"],
  ["step", "inputSchema", "Step 's'", "The input of a step is the result of the one before it"],
  ["step", "resumeSchema", "Step 's'", "Did you mean 'userInput'?"],
  ["step", "requires_confirmation", "Step 's'", "Did you mean 'confirmation'?"],
  ["step", "max_retries", "Step 's'", "Did you mean 'retries'?"],
  ["loop", "while", "Loop 'l'", "Did you mean 'endCondition'?"],
  ["loop", "condition", "Loop 'l'", "Did you mean 'endCondition'?"],
  ["loop", "maxCount", "Loop 'l'", "Did you mean 'maxIterations'?"],
  ["condition", "when", "Condition 'c'", "Did you mean 'evaluator'?"],
  ["condition", "condition", "Condition 'c'", "Did you mean 'evaluator'?"],
  ["condition", "then", "Condition 'c'", "Did you mean 'steps'?"],
  ["condition", "else", "Condition 'c'", "Did you mean 'elseSteps'?"],
  ["pii", "strategy", "Guardrail.pii", "Did you mean 'action'?"],
  ["pii", "entities", "Guardrail.pii", "Did you mean 'types'?"],
  ["mcp", "serverUrl", "The MCP server 'm'", "Did you mean 'url'?"],
  ["mcp", "allowedTools", "The MCP server 'm'", "Did you mean 'include'?"],
  ["mcp", "requestInit", "The MCP server 'm'", "Did you mean 'headers'?"],
  ["mcp", "transport", "The MCP server 'm'", "A url is called over HTTP, and a command is started"],
  ["serve", "tools", "serve", "Give them to the agents that call them"],
  ["serve", "auth", "serve", "Did you mean 'authorization'?"],
  ["serve", "interfaces", "serve", "Did you mean 'channels'?"],
  ["serve", "storage", "serve", "Set the variable DATABASE_URL of the environment"],
  ["serve", "guardrails", "serve", "Give them to the agents, as in hooks: [ … ]"],
  ["schedule", "enabled", "The schedule 's'", "Leave the schedule out while it does not run"],
  ["serve", "mcpServers", "serve", "Did you mean 'mcp'?"],
  ["serve", "cors", "serve", "Set the variable CORS_ORIGIN_LIST of the environment"],
  ["schedule", "cron_expr", "The schedule 's'", "Did you mean 'cron'?"],
  ["schedule", "prompt", "The schedule 's'", "Did you mean 'payload'?"],
  ["schedule", "workflowId", "The schedule 's'", "Did you mean 'component'?"],
  ["schedule", "tz", "The schedule 's'", "Did you mean 'timezone'?"],
  ["knowledge", "path", "Knowledge 'k'", "Did you mean 'folder'?"],
  ["knowledge", "embeddingModel", "Knowledge 'k'", "Did you mean 'embedder'?"],
  ["knowledge", "topK", "Knowledge 'k'", "Did you mean 'maxResults'?"]
]

/** A method of another library, and what to do. */
const methods: ReadonlyArray<readonly [of: object, method: string, owner: string, todo: string]> = [
  [a as object, "generate", "Agent 'a'", "Write run(…), or stream(…) for its events"],
  [a as object, "invoke", "Agent 'a'", "Write run(…), or stream(…) for its events"],
  [a as object, "asTool", "Agent 'a'", "Write ComponentTool.make({ component: … })"],
  [Team.make({ id: "t", members: [a] }) as object, "kickoff", "Team 't'", "Write run(…), or stream(…) for its events"],
  [w as object, "commit", "Workflow 'w'", "Leave it out: make has all that it needs"],
  [w as object, "createRun", "Workflow 'w'", "Write run(…), or stream(…) for its events"],
  [a as object, "as_tool", "Agent 'a'", "Write ComponentTool.make({ component: … })"],
  [a as object, "generateText", "Agent 'a'", "Write run(…), or stream(…) for its events"],
  [a as object, "resumeStream", "Agent 'a'", "Write continueStream(…)"],
  [w as object, "createRunAsync", "Workflow 'w'", "Write run(…), or stream(…) for its events"],
  [w as object, "sendEvent", "Workflow 'w'", "Write send(run, event) of the client"],
  [w as object, "addNode", "Workflow 'w'", "Give make all steps: { id: …, steps: [ … ] }"]
]

const pii = Guardrail.pii()
const check = { name: "check", run: () => undefined }

/** Checks and guardrails in the place of each other, and values that are another thing than their option takes. */
const misplaced: ReadonlyArray<Mistaken> = [
  ...[
    ["tool", "Tool 't'"] as const,
    ["mcp", "The MCP server 'm'"] as const
  ].flatMap(([maker, owner]): ReadonlyArray<Mistaken> => [
    [
      `an approval of a ${maker} without a confirmation`,
      () => makers[maker]({ approval: "required", requiresConfirmation: false }),
      `${owner}: approval needs a decision about each call, and requiresConfirmation is false. Leave one of them out`
    ],
    [
      `another approval of a ${maker}`,
      () => makers[maker]({ approval: true }),
      `${owner}: approval must be one of required, audit, not true`
    ]
  ]),
  [
    "a guardrail among preHooks",
    () => makers.agent({ preHooks: [pii] }),
    "Agent 'a': preHooks[0] is a guardrail, or a hook with stages. Write hooks: [ … ]"
  ],
  [
    "a hook among postHooks",
    () => makers.agent({ postHooks: [{ name: "h", afterRun: () => undefined }] }),
    "Agent 'a': postHooks[0] is a guardrail, or a hook with stages. Write hooks: [ … ]"
  ],
  [
    "a check among hooks",
    () => makers.agent({ hooks: [check] }),
    "Agent 'a': hooks[0] is a check. Write preHooks: [ … ], or postHooks: [ … ]"
  ],
  [
    "options as knowledge",
    () => makers.agent({ knowledge: { folder: "x" } }),
    "Agent 'a': knowledge must be made by Knowledge.make, and is an object with folder. " +
    "Write Knowledge.make({ folder: … })"
  ],
  [
    "options as knowledge of the service",
    () => makers.serve({ knowledge: { folder: "x" } }),
    "serve: knowledge must be a list, and is an object with folder. Write [ Knowledge.make({ folder: … }) ]"
  ],
  [
    "a choice as the AI SDK has it",
    () => makers.agent({ toolChoice: { type: "tool", toolName: "t" } }),
    "Agent 'a': toolChoice is an object with type, toolName. Write { tool: … }"
  ],
  [
    "a name of a tool as the choice",
    () => makers.agent({ tools: [t], toolChoice: "t" }),
    "Agent 'a': toolChoice is the text 't'. Write { tool: \"t\" }"
  ],
  [
    "a workflow as a member",
    () => makers.team({ members: [w] }),
    "Team 't': members[0] must be an agent or a team, and is the workflow 'w'. Make a tool of it with " +
    "ComponentTool.make"
  ],
  [
    "a set of tools",
    () => makers.agent({ tools: new Set([Tool.make({ name: "t", execute: () => 1 })]) }),
    "Agent 'a': tools must be a list, and is a Set. Write its values in [ … ]"
  ]
]

describe("mistakes in the names of options", () => {
  areRefused(mistakes)

  areRefused(misplaced)

  areRefused(
    methods.map(([component, method, owner, todo]) => [
      `the method ${method}`,
      () => Reflect.apply(Reflect.get(component, method), component, ["x"]),
      `${owner} has no method '${method}'. ${todo}`
    ])
  )

  areRefused(["call", "execute", "invoke", "run"].map((method) => [
    `the method ${method} of a tool`,
    () => Reflect.apply(Reflect.get(t as object, method), t, [{ city: "Bonn" }]),
    `Tool 't' has no method '${method}', because a call belongs to a run. In a test let the model call it, with ` +
    "toolCall(\"t\", { … }), or call the function that you gave it"
  ]))

  it("methods of other libraries are no properties that a tool is read or copied by", () => {
    assert.notInclude(Object.keys({ ...t as object }), "execute")
    assert.doesNotThrow(() => Agent.make({ id: "own", tools: [t] }))
  })

  it("an approval stands beside a confirmation, and beside what else a person gives", () => {
    for (const requiresConfirmation of [true, undefined, () => false]) {
      assert.doesNotThrow(() => makers.tool({ approval: "audit", requiresConfirmation }))
    }
    const others = { approval: "required", requiresConfirmation: false }
    assert.doesNotThrow(() => makers.tool({ ...others, externalExecution: true }))
  })

  it("a tool can have the name of a choice", () => {
    const auto = Tool.make({ name: "auto", description: "d", execute: () => 1 })
    assert.doesNotThrow(() => Agent.make({ id: "own", tools: [auto], toolChoice: "auto" }))
  })

  it("a component can be given a method of its own of such a name", () => {
    const own = Agent.make({ id: "own" }) as object as { ask: () => string }
    own.ask = () => "mine"
    assert.strictEqual(own.ask(), "mine")
  })

  it("methods of other libraries are no properties that a component is read or copied by", () => {
    const names = Object.keys(a as object).concat(Object.keys({ ...a as object }))
    for (const [, method] of methods) assert.notInclude(names, method)
    for (const name in a as object) assert.notInclude(methods.map(([, method]) => method), name)
  })

  areRefused(
    foreign.map(([maker, name, owner, todo]) => [
      `${maker} ${name}`,
      () => makers[maker]({ [name]: 1 }),
      `${owner}: there is no option '${name}'. ${todo}`
    ])
  )
})
