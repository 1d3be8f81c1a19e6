// Options that take one of a few words: every other value is refused when the thing is made.
import { assert, describe, it } from "@effect/vitest"
import { type Effects, mayRepeat } from "@svc-runtime/engine/userCode/Effects"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import { areRefused, untyped } from "./Mistaken.ts"

const {
  Agent,
  AgentFactory,
  AiSdkTool,
  Application,
  ComponentTool,
  ForEach,
  Guardrail,
  Knowledge,
  Local,
  McpTools,
  RemoteAgent,
  Route,
  Router,
  Step,
  Team,
  Tool
} = untyped

const helper = Agent.make({ id: "helper" })
const step = Step.make({ name: "inner", run: () => 1 })
const effects = ["read", "idempotent", "once"]
const outcomes = ["pause", "fail"]

type Make = (value: unknown) => unknown

/** The option, what takes it, and the words that it takes. */
const options: ReadonlyArray<readonly [string, Make, ReadonlyArray<string>]> = [
  ["effects of a step", (value) => Step.make({ name: "s", effects: value, run: () => 1 }), effects],
  ["onError of a step", (value) => Step.make({ name: "s", onError: value, run: () => 1 }), ["fail", "skip", "pause"]],
  [
    "onUnknownOutcome of a step",
    (value) => Step.make({ name: "s", onUnknownOutcome: value, run: () => 1 }),
    outcomes
  ],
  ["effects of a tool", (value) => Tool.make({ name: "t", effects: value, execute: () => 1 }), effects],
  [
    "approval of a tool",
    (value) => Tool.make({ name: "t", approval: value, requiresConfirmation: true, execute: () => 1 }),
    ["required", "audit"]
  ],
  [
    "effects of a tool of the AI SDK",
    (value) =>
      AiSdkTool.make("t", { inputSchema: { jsonSchema: { type: "object" } }, execute: () => 1 }, { effects: value }),
    effects
  ],
  [
    "approval of a component as a tool",
    (value) => ComponentTool.make({ component: helper, requiresConfirmation: true, approval: value }),
    ["required", "audit"]
  ],
  [
    "effects of the tools of an MCP server",
    (value) => McpTools.make({ name: "m", url: "https://tools.example/mcp", effects: value }),
    [...effects, "annotations"]
  ],
  [
    "effects of one tool of an MCP server",
    (value) => McpTools.make({ name: "m", url: "https://tools.example/mcp", effects: { search: value } }),
    effects
  ],
  [
    "approval of the tools of an MCP server",
    (value) => McpTools.make({ name: "m", url: "https://tools.example/mcp", approval: value }),
    ["required", "audit"]
  ],
  [
    "results of an MCP server",
    (value) => McpTools.make({ name: "m", url: "https://tools.example/mcp", results: value }),
    ["content", "structured", "both"]
  ],
  ["toolChoice of an agent", (value) => Agent.make({ id: "a", toolChoice: value }), ["auto", "none", "required"]],
  ["toolSearch of an agent", (value) => Agent.make({ id: "a", toolSearch: value }), ["auto", "off"]],
  ["promptCache of an agent", (value) => Agent.make({ id: "a", promptCache: value }), ["auto", "off"]],
  ["systemMessageRole of an agent", (value) => Agent.make({ id: "a", systemMessageRole: value }), [
    "system",
    "developer"
  ]],
  ["onUnknownOutcome of an agent", (value) => Agent.make({ id: "a", onUnknownOutcome: value }), outcomes],
  ["checkpoint of an agent", (value) => Agent.make({ id: "a", checkpoint: value }), ["runs", "tool-batch"]],
  ["historyOfFailedRuns of an agent", (value) => Agent.make({ id: "a", historyOfFailedRuns: value }), [
    "messages",
    "none"
  ]],
  ["update of memory", (value) => Agent.make({ id: "a", memory: { update: value } }), ["background", "inline", "off"]],
  ["mode of learning", (value) => Agent.make({ id: "a", learning: { mode: value } }), ["agentic", "always", "propose"]],
  ["types of learning", (value) => Agent.make({ id: "a", learning: { types: [value] } }), ["decision_log"]],
  [
    "onUnknownOutcome of a remote agent",
    (value) =>
      RemoteAgent.a2a({
        id: "r",
        url: "https://agents.example",
        onUnknownOutcome: value
      }),
    outcomes
  ],
  ["mode of a team", (value) => Team.make({ id: "t", members: [helper], mode: value }), [
    "coordinate",
    "route",
    "broadcast",
    "tasks"
  ]],
  [
    "continueInput of a factory",
    (value) => AgentFactory.make({ id: "f", continueInput: value, build: () => helper }),
    ["none", "stored"]
  ],
  [
    "onError of a loop over items",
    (value) => ForEach.make({ name: "f", items: () => [], steps: [step], onError: value }),
    ["fail", "skip"]
  ],
  [
    "onReject of a selection",
    (value) => Router.make({ name: "r", choices: [step], selection: { onReject: value } }),
    ["skip", "cancel", "else", "retry"]
  ],
  ["searchType of knowledge", (value) => Knowledge.make({ searchType: value }), ["vector", "keyword", "hybrid"]],
  ["isolation of knowledge", (value) => Knowledge.make({ isolation: value }), ["user", "shared"]],
  ["action of a guardrail", (value) => Guardrail.pii({ action: value }), ["mask", "block", "note"]],
  ["place of a guardrail", (value) => Guardrail.pii({ on: [value] }), ["input", "output", "results", "arguments"]],
  ["type of a guardrail", (value) => Guardrail.pii({ types: [value] }), ["email", "phone"]],
  ["method of a route", (value) => Route.make({ method: value, path: "/x", scope: "agents:read", handle: () => 1 }), [
    "GET",
    "POST"
  ]],
  ["resumedBy of a program", (value) => Local.configure({ resumedBy: value }), []],
  [
    "overlap of a schedule",
    (value) => Application.make({ schedules: [{ name: "n", cron: "* * * * *", endpoint: "/x", overlap: value }] }),
    [
      "allow",
      "skip",
      "queue",
      "cancel"
    ]
  ],
  [
    "catchUp of a schedule",
    (value) => Application.make({ schedules: [{ name: "n", cron: "* * * * *", endpoint: "/x", catchUp: value }] }),
    [
      "skip",
      "one",
      "all"
    ]
  ],
  ["whenExceeded of the limits", (value) => Application.make({ limits: { whenExceeded: value } }), [
    "refuse",
    "queue"
  ]],
  ["tokenSource", (value) => Application.make({ authorization: { tokenSource: value } }), ["header", "cookie", "both"]]
]

const wrong: ReadonlyArray<readonly [string, unknown]> = [
  ["another case", "Once"],
  ["a misspelling", "idempotnt"],
  ["nothing", ""],
  ["null", null],
  ["a number", 5],
  ["true", true],
  ["a symbol", Symbol("once")],
  ["a big number", 1n],
  ["an object without a prototype", Object.create(null)],
  ["an empty list", []],
  ["a list", ["once"]],
  ["a date", new Date(0)],
  ["a Map", new Map([["once", "once"]])],
  ["a function", () => "once"]
]

/** Wrong elsewhere, and right here: options that take an object or a list too. */
const right: Readonly<Record<string, ReadonlyArray<string>>> = {
  "promptCache of an agent": ["an object without a prototype"],
  "toolSearch of an agent": ["an object without a prototype"],
  "effects of the tools of an MCP server": ["an object without a prototype"]
}

describe("options that take one of a few words", () => {
  it.each(options)("%s refuses every other value with a sentence", (name, make) => {
    for (const [what, value] of wrong) {
      if (right[name]?.includes(what) === true) continue
      try {
        make(value)
      } catch (error) {
        assert.instanceOf(error, Mistake, `${what}: ${String(error)}`)
        assert.notMatch((error as Mistake).message, /\[object|undefined/, what)
        continue
      }
      assert.fail(`${what} was accepted`)
    }
  })

  it("a word that is none of the three is never repeated", () => {
    assert.isTrue(mayRepeat("read"))
    assert.isTrue(mayRepeat("idempotent"))
    for (const word of ["once", "Once", "", null, undefined]) assert.isFalse(mayRepeat(word as Effects))
  })

  it.each(options)("%s takes each of its words", (_, make, words) => {
    for (const word of words) make(word)
  })
})

const weather = Tool.make({ name: "weather", execute: () => 1 })
const choosing = (toolChoice: unknown) => () => Agent.make({ id: "a", tools: [weather], toolChoice })

describe("the choice of a tool", () => {
  areRefused([
    ["null", choosing(null), "Agent 'a': toolChoice must be one of auto, none, required, not null"],
    ["its name", choosing("weather"), `Agent 'a': toolChoice is the text 'weather'. Write { tool: "weather" }`],
    ["its name, misspelt", choosing("wether"), `Agent 'a': toolChoice is the text 'wether'. Write { tool: "weather" }`],
    ["a list", choosing(["weather"]), `Agent 'a': toolChoice is a list. Write { tool: "weather" }`],
    ["a list of two", choosing(["a", "b"]), "Agent 'a': toolChoice is a list. Write { tool: … }"],
    [
      "the object of another library",
      choosing({ type: "tool", toolName: "weather" }),
      `Agent 'a': toolChoice is an object with type, toolName. Write { tool: "weather" }`
    ],
    [
      "the object of a provider",
      choosing({ type: "function", function: { name: "weather" } }),
      `Agent 'a': toolChoice is an object with type, function. Write { tool: "weather" }`
    ],
    [
      "a misspelt tool",
      choosing({ tool: "wether" }),
      "Agent 'a': toolChoice names 'wether', which is not one of its tools. Did you mean 'weather'?"
    ],
    [
      "a tool of another agent",
      choosing({ tool: "stocks" }),
      "Agent 'a': toolChoice names 'stocks', which is not one of its tools"
    ],
    [
      "any, as in other libraries",
      choosing("any"),
      "Agent 'a': toolChoice is the text 'any'. Did you mean 'required'?"
    ],
    ["nonsense", choosing("banana"), "Agent 'a': toolChoice must be one of auto, none, required, not banana"]
  ])
})

describe("a router", () => {
  areRefused([[
    "one whose selector is undefined",
    () => Router.make({ name: "r", choices: [step], selector: undefined }),
    "Router 'r' needs one of selector, for a function, and selection, for a person"
  ]])
})

describe("entries in place of an object", () => {
  areRefused([
    [
      "limits as a Map",
      () => Agent.make({ id: "a", limits: new Map([["runsPerMinute", 1]]) }),
      "Agent 'a': limits must be an object, and is a Map. Write Object.fromEntries(…) around it"
    ],
    [
      "headers as Headers",
      () => McpTools.make({ name: "m", url: "https://tools.example/mcp", headers: new Headers({ a: "b" }) }),
      "The MCP server 'm': headers must be an object, and is a Headers. Write Object.fromEntries(…) around it"
    ],
    [
      "roles as a Map",
      () => Application.make({ authorization: { roles: new Map([["r", ["agents:read"]]]) } }),
      "serve: authorization: roles must be an object, and is a Map. Write Object.fromEntries(…) around it"
    ],
    [
      "nested options as a Map",
      () => Agent.make({ id: "a", showMedia: new Map([["newest", 1]]) }),
      "Agent 'a': showMedia takes an object with options, and was given a Map. Write Object.fromEntries(…) around it"
    ],
    [
      "a date in place of options",
      () => Step.make({ name: "s", confirmation: new Date(0), run: () => 1 }),
      "Step 's': confirmation takes an object with options, and was given a Date. Write an object, " +
      "such as { message: … }"
    ]
  ])
})

describe("what is no text, no schema and no filter", () => {
  const nothing: unknown = Object.create(null)
  areRefused([
    [
      "a name without a prototype",
      () => Agent.make({ id: "a", name: nothing }),
      "Agent 'a': name must be a text, and is an empty object"
    ],
    [
      "a timezone that is an object",
      () => Agent.make({ id: "a", timezone: {} }),
      "Agent 'a': timezone must be a text, and is an empty object"
    ],
    [
      "a timezone that is a symbol",
      () => Agent.make({ id: "a", timezone: Symbol("z") }),
      "Agent 'a': timezone must be a text, and is the symbol Symbol(z)"
    ],
    [
      "a schema that is a Map",
      () => Agent.make({ id: "a", inputSchema: new Map() }),
      "Agent 'a': its inputSchema must be a schema, and is a Map. Write z.object({ … }), or a JSON Schema"
    ],
    [
      "a schema that is a date",
      () => Agent.make({ id: "a", outputSchema: new Date(0) }),
      "Agent 'a': its outputSchema must be a schema, and is a Date. Write z.object({ … }), or a JSON Schema"
    ],
    [
      "filters that are a Map",
      () => Agent.make({ id: "a", knowledgeFilters: new Map([["a", 1]]) }),
      "Agent 'a': knowledgeFilters must be an object or a list, and is a Map. Write Object.fromEntries(…) around it"
    ],
    [
      "filters of a knowledge base that are a Map",
      () => Knowledge.make({ name: "k", filters: new Map([["a", 1]]) }),
      "Knowledge 'k': filters must be an object or a list, and is a Map. Write Object.fromEntries(…) around it"
    ]
  ])
})
