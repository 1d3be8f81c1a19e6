// Arguments with which a person replaces those of a call, of a run at any depth: what the tool does not take is
// refused, and nothing is lost.
import { assert, describe, it } from "@effect/vitest"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { ask, at, failed, get, list, serve, undecided } from "../Wire.ts"

Tier.oneIn(4)

type Fields = Readonly<Record<string, unknown>>

/** An agent that sends to Ann, at each place. `losing`: its first answer is lost. */
const serving = Effect.fnUntraced(function*({ losing = false }: { readonly losing?: boolean } = {}) {
  const sent: Array<string> = []
  const effects: Array<string> = []
  const send = Tool.make({
    name: "send",
    requiresConfirmation: true,
    parameters: Schema.Struct({ to: Schema.String }),
    execute: ({ to }, { effectId }) => {
      sent.push(to)
      effects.push(effectId)
      return losing && sent.length === 1
        ? Effect.fail(new OutcomeLost({ message: "The answer was lost" }))
        : Effect.succeed(`sent to ${to}`)
    }
  })
  const calling = (name: string, args: object) =>
    Effect.map(Script.make([[toolCall(name, args, `${name}_1`)], [text("Done.")]]), ({ model }) => model)
  const delegating = (member_id: string) => calling("delegate_task_to_member", { member_id, task: "send" })
  const asking = calling("ask", { task: "send" })
  const sender = Agent.make({ id: "sender", model: yield* calling("send", { to: "ann" }), tools: [send] })
  const team = Team.make({ id: "team", model: yield* delegating("sender"), members: [sender] })
  const outer = Team.make({ id: "outer", model: yield* delegating("team"), members: [team] })
  const tool = ComponentTool.make({ name: "ask", component: sender })
  const durable = Tool.make({
    name: "ask",
    parameters: Schema.Struct({ task: Schema.String }),
    execute: async ({ task }, { run }) => (await run(sender, task)).content
  })
  const server = yield* serve({
    agents: [
      sender,
      Agent.make({ id: "with-tool", model: yield* asking, tools: [tool] }),
      Agent.make({ id: "durable", model: yield* asking, tools: [durable] })
    ],
    teams: [team, outer],
    workflows: [
      Workflow.make({ id: "flow", steps: [Step.make({ name: "send", agent: sender })] }),
      Workflow.make({ id: "team-flow", steps: [Step.make({ name: "send", team: outer })] })
    ]
  })
  return { effects, sent, server }
})

const places = ["agents/sender", "teams/team", "teams/outer", "agents/with-tool", "agents/durable"]
const flows = ["workflows/flow", "workflows/team-flow"]

/** A run at the place, which has paused, and what is sent about its open call. */
const pausedAt = Effect.fnUntraced(function*(server: TestServer.TestServer, place: string) {
  const post = (path: string, fields: Fields) =>
    ask(server, `/${place}/runs${path}`, {
      method: "POST",
      body: new URLSearchParams({ session_id: "s", stream: "false", ...fields } as Record<string, string>)
    })
  yield* post("", { message: "go", run_id: "r" })
  const read = Effect.map(get(server, `/${place}/runs/r?session_id=s`), ({ json }) => json)
  const openIn = (json: unknown) => {
    const step = flows.includes(place) ? list(json, "step_requirements").at(-1) : undefined
    return { step, open: list(step ?? json, step === undefined ? "requirements" : "executor_requirements").slice(-1) }
  }
  const decide = (json: unknown, decision: object): Fields => {
    const { open, step } = openIn(json)
    const decided = open.map((requirement) => ({
      ...requirement as object,
      tool_execution: { ...at(requirement, "tool_execution") as object, ...decision }
    }))
    return step === undefined
      ? { requirements: JSON.stringify(decided) }
      : { step_requirements: JSON.stringify([{ ...step as object, executor_requirements: decided }]) }
  }
  return { decide, openIn, post, read }
})

const unfit = [
  { to: "bob", too: "cid" },
  { to: null },
  { too: "cid" },
  [],
  5,
  "bob",
  JSON.stringify({ to: "bob", too: "cid" })
]

describe("edited arguments that the tool does not take", () => {
  it.effect.each([...places, ...flows])(
    "the arguments are refused, and the run stays paused: %s",
    (place) =>
      Effect.gen(function*() {
        const { sent, server } = yield* serving()
        const { decide, post, read } = yield* pausedAt(server, place)
        const json = yield* read
        assert.strictEqual(at(json, "status"), "PAUSED")
        const ofAgent = place === "agents/sender"
        const decided = (tool_args: unknown): Fields =>
          ofAgent
            ? { tools: JSON.stringify([{ ...at(json, "tools", 0) as object, tool_args, confirmed: true }]) }
            : decide(json, { tool_args, confirmed: true })
        for (const args of unfit) {
          const field = ofAgent ? "tools" : flows.includes(place) ? "step_requirements" : "requirements"
          const refused = new RegExp(`content for ${field}: the arguments of send \\(send_1\\) do not fit: `)
          undecided(yield* post("/r/continue", decided(args)), refused)
        }
        assert.deepStrictEqual(sent, [])
        const continued = yield* post("/r/continue", decided({ to: "bob" }))
        assert.strictEqual(at(continued.json, "status"), "COMPLETED", continued.text)
        assert.deepStrictEqual(sent, ["bob"])
      })
  )
})

describe("edited arguments of a call whose answer is lost", () => {
  it.effect.each([...places, ...flows])(
    "the call shows them, and is repeated with no others: %s",
    (place) =>
      Effect.gen(function*() {
        const { effects, sent, server } = yield* serving({ losing: true })
        const { decide, openIn, post, read } = yield* pausedAt(server, place)
        const edited = { confirmed: true, tool_args: { to: "bob" } }
        const first = yield* post("/r/continue", decide(yield* read, edited))
        assert.strictEqual(at(first.json, "status"), "PAUSED", first.text)
        const lost = yield* read
        const shown = at(openIn(lost).open[0], "tool_execution")
        assert.deepStrictEqual([at(shown, "outcome_unknown"), at(shown, "tool_args")], [true, { to: "bob" }])
        const others = yield* post("/r/continue", decide(lost, { confirmed: true, tool_args: { to: "ann" } }))
        assert.strictEqual(others.status, 409, others.text)
        const repeated = yield* post("/r/continue", decide(lost, { confirmed: true }))
        assert.strictEqual(at(repeated.json, "status"), "COMPLETED", repeated.text)
        assert.deepStrictEqual(sent, ["bob", "bob"])
        assert.lengthOf(new Set(effects), 1)
      })
  )
})

/** Parameters that describe an object behind each form of a schema. */
const shaped = {
  type: "object",
  properties: {
    maybe: { anyOf: [{ $ref: "#/$defs/place" }, { type: "null" }] },
    pair: { type: "array", prefixItems: [{ $ref: "#/$defs/place" }] },
    byName: { type: "object", additionalProperties: { $ref: "#/$defs/place" } }
  },
  $defs: {
    place: { type: "object", properties: { street: { type: "string" }, next: { $ref: "#/$defs/place" } } }
  }
}

/** As libraries of schemas decode: what is not known is left out. */
const withoutUnknown = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutUnknown)
    : typeof value === "object" && value !== null
    ? Object.fromEntries(
      Object.entries(value).flatMap(([key, each]) => key === "Street" ? [] : [[key, withoutUnknown(each)]])
    )
    : value

/** Filters within filters, as tools of queries take them: each branch refers to the whole. */
const filter = { oneOf: ["and", "or", "not", "leaf"].map((name) => ({ $ref: `#/$defs/${name}` })) }
const branch = (t: string) => ({
  type: "object",
  properties: { t: { const: t }, of: { $ref: "#/$defs/filter" } },
  required: ["t"]
})
const filters = {
  type: "object",
  properties: { where: { $ref: "#/$defs/filter" } },
  $defs: {
    filter,
    and: branch("and"),
    or: branch("or"),
    not: branch("not"),
    leaf: { type: "object", properties: { t: { const: "leaf" }, street: { type: "string" } }, required: ["t"] }
  }
}
const nested = (depth: number, street: object): object =>
  depth === 0 ? { t: "leaf", ...street } : { t: ["and", "or", "not"][depth % 3], of: nested(depth - 1, street) }

describe("the keys of nested values", () => {
  /** Continues a run that waits with edited arguments of its call. */
  const paused = Effect.fnUntraced(function*(agent: Agent.Agent) {
    const server = yield* serve({ agents: [agent] })
    const post = (path: string, fields: Fields) =>
      ask(server, `/agents/visitor/runs${path}`, {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
      })
    const [requested] = list((yield* post("", { message: "go", run_id: "r" })).json, "tools")
    return (tool_args: unknown) =>
      post("/r/continue", { tools: JSON.stringify([{ ...requested as Fields, confirmed: true, tool_args }]) })
  })

  const visiting = Effect.fnUntraced(function*(parameters: object, edited: unknown) {
    const tool = Tool.make({
      name: "visit",
      requiresConfirmation: true,
      parameters: {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: (value: unknown) => ({ value: withoutUnknown(value) as Fields }),
          jsonSchema: { input: () => ({ ...parameters }), output: () => ({ ...parameters }) }
        }
      },
      execute: () => "visited"
    })
    const { model } = yield* Script.make([[toolCall("visit", {}, "visit_1")], [text("Done.")]])
    return yield* (yield* paused(Agent.make({ id: "visitor", model, tools: [tool] })))(edited)
  })

  it.effect.each([
    { maybe: { street: "a", Street: "b" } },
    { maybe: { next: { Street: "b" } } },
    { pair: [{ Street: "b" }] },
    { byName: { home: { Street: "b" } } }
  ])(
    "a key that is left out behind a union, a reference, a tuple or a record is refused: %j",
    (edited) =>
      Effect.gen(function*() {
        const refused = yield* visiting(shaped, edited)
        assert.strictEqual(refused.status, 422, refused.text)
        assert.match(refused.text, /Street/)
      })
  )

  it.effect("edits of a call of a tool source are checked by what it has offered", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const { decode: _, ...offered } = Tool.make({
        name: "visit",
        requiresConfirmation: true,
        parameters: { ...shaped, required: ["maybe"] },
        execute: (args) => (sent.push(args), "visited")
      })
      const offer = { tools: [offered], problem: undefined }
      const source: ToolSource = {
        _tag: "ToolSource",
        name: "places",
        open: Effect.succeed(offer),
        last: () => offer
      }
      const { model } = yield* Script.make([[toolCall("visit", { maybe: null }, "visit_1")], [text("Done.")]])
      const post = yield* paused(Agent.make({ id: "visitor", model, tools: [source] }))
      for (const edited of [{}, { maybe: 5 }, { maybe: null, May: {} }, { maybe: { next: { Street: "b" } } }]) {
        undecided(yield* post(edited), /the arguments of visit \(visit_1\) do not fit: /)
      }
      assert.deepStrictEqual(sent, [])
      const taken = yield* post({ maybe: { next: { street: "b" } } })
      assert.strictEqual(at(taken.json, "status"), "COMPLETED", taken.text)
      assert.lengthOf(sent, 1)
    }))

  /** A source that has not been asked in this process, as after a restart. */
  const unasked = (inputSchema: object, problem?: () => string | undefined) => {
    const sent: Array<unknown> = []
    const { decode: _, ...made } = Tool.make({
      name: "visit",
      requiresConfirmation: true,
      parameters: Schema.Record(Schema.String, Schema.Json),
      execute: (args) => (sent.push(args), "visited")
    })
    const source: ToolSource = {
      _tag: "ToolSource",
      name: "places",
      open: Effect.sync(() => {
        const reason = problem?.()
        return { tools: reason === undefined ? [{ ...made, parameters: { ...inputSchema } }] : [], problem: reason }
      }),
      last: () => undefined
    }
    return { sent, source }
  }

  const visits = (args: object, tools: Agent.Options["tools"]) =>
    Effect.flatMap(
      Script.make([[toolCall("visit", args, "visit_1")], [text("Done.")]]),
      ({ model }) => paused(Agent.make({ id: "visitor", model, tools }))
    )

  it.effect("a source that was not asked in this process is asked before an edit of its call is checked", () =>
    Effect.gen(function*() {
      const { sent, source } = unasked({ ...shaped, required: ["maybe"] })
      const post = yield* visits({ maybe: null }, [source])
      for (const edited of [{}, { maybe: 5 }, { maybe: null, May: {} }]) {
        undecided(yield* post(edited), /the arguments of visit \(visit_1\) do not fit: /)
      }
      assert.deepStrictEqual(sent, [])
      assert.strictEqual(at((yield* post({ maybe: { street: "b" } })).json, "status"), "COMPLETED")
    }))

  it.effect("an edit that cannot be checked, because its source does not reply, is 503 and not decided", () =>
    Effect.gen(function*() {
      let reason: string | undefined
      const { sent, source } = unasked(shaped, () => reason)
      const post = yield* visits({ maybe: null }, [source])
      reason = "The MCP server places does not reply"
      const edited = { maybe: { street: "b" } }
      failed(
        yield* post(edited),
        503,
        "SERVICE_UNAVAILABLE",
        "visit (visit_1) cannot be called now. places: The MCP server places does not reply. " +
          "Nothing is decided: send it again later"
      )
      assert.deepStrictEqual(sent, [])
      reason = undefined
      assert.strictEqual(at((yield* post(edited)).json, "status"), "COMPLETED")
      assert.deepStrictEqual(sent, [edited])
    }))

  const rows = {
    type: "object",
    properties: {
      who: { type: "object", properties: { name: { type: "string" } } },
      rows: { type: "array", items: { type: "object", properties: { k: { type: "string" } } } }
    }
  }

  it.effect.each(
    [
      ["a source", () => unasked(rows).source],
      ["the agent", () =>
        Tool.make({
          name: "visit",
          requiresConfirmation: true,
          parameters: Schema.Struct({
            who: Schema.optionalKey(Schema.Struct({ name: Schema.optionalKey(Schema.String) })),
            rows: Schema.optionalKey(Schema.Array(Schema.Struct({ k: Schema.optionalKey(Schema.String) })))
          }),
          execute: () => "visited"
        })]
    ] as const
  )("a key that is left out inside of a text of JSON is refused: a tool of %s", ([, tool]) =>
    Effect.gen(function*() {
      const post = yield* visits({}, [tool()])
      for (
        const [edited, key] of [
          [{ who: JSON.stringify({ name: "b", Nick: 1 }) }, "who.Nick"],
          [{ rows: JSON.stringify([{ k: "a" }, { k: "a", K: 1 }]) }, "rows.1.K"]
        ] as const
      ) {
        undecided(yield* post(edited), new RegExp(`there is no '${key.replaceAll(".", "\\.")}'`))
      }
      const taken = yield* post({ who: JSON.stringify({ name: "b" }), rows: "[{\"k\":\"a\"}]" })
      assert.strictEqual(at(taken.json, "status"), "COMPLETED", taken.text)
    }))

  it.effect("what a schema says by nullable and patternProperties is taken, and the rest refused", () =>
    Effect.gen(function*() {
      const properties = {
        name: { type: "string", nullable: true },
        labels: { type: "object", patternProperties: { "^x-": { type: "string" } }, properties: { y: {} } },
        hard: { type: "object", patternProperties: { "^(a+)+$": { type: "string" } } }
      }
      const edits = [
        [{ name: 5 }, /name/],
        [{ labels: { "x-a": 1 } }, /labels.x-a/],
        [{ labels: { "X-a": "1" } }, /there is no 'labels.X-a'/]
      ] as const
      for (const edited of [{ name: null }, { labels: { "x-a": "1", y: 5 } }, { hard: { b: 1 } }]) {
        const post = yield* visits({}, [unasked({ type: "object", properties }).source])
        for (const [unfit, problem] of edits) undecided(yield* post(unfit), problem)
        const taken = yield* post(edited)
        assert.strictEqual(at(taken.json, "status"), "COMPLETED", taken.text)
      }
    }))

  // a step for each branch of each level would never end
  it.effect("a key that is left out deep in a union of its own kind is refused at once", () =>
    Effect.gen(function*() {
      const refused = yield* visiting(filters, { where: nested(100, { street: "a", Street: "b" }) })
      assert.strictEqual(refused.status, 422, refused.text)
      assert.match(refused.text, /Street/)
      const taken = yield* visiting(filters, { where: nested(100, { street: "a" }) })
      assert.strictEqual(at(taken.json, "status"), "COMPLETED", taken.text)
    }))
})
