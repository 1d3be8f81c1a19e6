// Whatever a call or a message holds, there is a response to it: never a fault, never a word of the inside.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { at, leak, serve } from "../Wire.ts"
import { messages, open, post, request, type Session } from "./Mcp.ts"

Tier.oneIn(8)

const agents = [
  Agent.make({ id: "plain", model: "fixed", addHistoryToContext: true }),
  Agent.make({ id: "typed", model: "fixed", inputSchema: Schema.Struct({ a: Schema.Int }) })
]

const tools = [
  "get_platform_config",
  "run_agent",
  "cancel_run",
  "continue_run",
  "run_team",
  "run_workflow",
  "get_sessions",
  "get_session_runs",
  "nothing",
  ""
] as const

const names = [
  "agent_id",
  "team_id",
  "workflow_id",
  "message",
  "session_id",
  "run_id",
  "user_id",
  "db_id",
  "session_type",
  "session_name",
  "component_id",
  "limit",
  "page",
  "sort_by",
  "sort_order",
  "requirements",
  "__proto__",
  "constructor",
  ""
] as const

const values = [
  "plain",
  "typed",
  "agent",
  "{\"a\":1}",
  "desc",
  "",
  "%",
  "sa:x",
  "\u0000",
  "\ud800",
  "x".repeat(600),
  "'; drop table svc_runs; --",
  1,
  0,
  -1,
  1.5,
  9_007_199_254_740_991,
  null,
  true
] as const

const Value = Schema.Union([Schema.Literals(values.filter((value) => value !== null)), Schema.Null, Schema.String])
const Arguments = Schema.Array(Schema.Tuple([Schema.Literals(names), Value])).check(Schema.isMaxLength(6))

const sound = Effect.fnUntraced(function*(session: Session, body: unknown) {
  const answer = yield* post(session.server, body, { headers: session.headers })
  const what = JSON.stringify(body)
  // no JSON of a caller has this key
  assert.include(what.includes("\"__proto__\":") ? [422] : [200, 202, 400], answer.status, what)
  assert.notMatch(answer.text, leak, what)
  if (answer.status !== 200 && answer.status !== 400) return
  const last = messages(answer).at(-1)
  const code = at(last, "error", "code")
  if (code === undefined) assert.isObject(at(last, "result"), what)
  else assert.include([-32700, -32600, -32601, -32602], code, `${what}: ${answer.text}`)
})

const noFaults = ({ server }: Session) =>
  assert.deepStrictEqual(server.logs.filter(({ level }) => level === "ERROR"), [])

describe("random calls", () => {
  it.effect.prop(
    "a random call of a tool is never a fault",
    [Schema.Literals(tools), Arguments],
    ([name, pairs]) =>
      Effect.gen(function*() {
        const session = yield* open(yield* serve({ agents }))
        yield* sound(session, request("tools/call", { name, arguments: Object.fromEntries(pairs) }))
        noFaults(session)
      }),
    { arbitrary: { runs: Tier.size(8, 200), seed: Seed.seed } }
  )

  it.effect("a call with any value for any argument is never a fault", () =>
    Effect.gen(function*() {
      const session = yield* open(yield* serve({ agents }))
      const given = { agent_id: "plain", message: "hi", run_id: "r", session_id: "s" }
      const taken: Readonly<Record<string, ReadonlyArray<keyof typeof given>>> = {
        run_agent: ["agent_id", "message"],
        cancel_run: ["agent_id", "run_id"],
        continue_run: ["agent_id", "run_id", "session_id"],
        get_session_runs: ["session_id"]
      }
      const calls = tools.flatMap((name) => names.flatMap((key) => values.map((value) => ({ name, key, value }))))
      const classOf = ({ key, name }: typeof calls[number]) => `${name} ${key}`
      for (const { key, name, value } of Tier.ofEach(calls, 2, classOf)) {
        const needed = Object.fromEntries((taken[name] ?? []).map((key) => [key, given[key]]))
        const args = JSON.parse(JSON.stringify({ ...needed, [key]: value }))
        yield* sound(session, request("tools/call", { name, arguments: args }))
      }
      noFaults(session)
    }))
})

describe("random messages", () => {
  const methods = [
    "tools/call",
    "tools/list",
    "initialize",
    "ping",
    "resources/subscribe",
    "notifications/cancelled",
    "x"
  ]
  const params = [undefined, null, 1, "x", [], {}, { name: 1 }, { uri: {} }, { requestId: {} }, { _meta: 5 }, {
    name: "run_agent",
    arguments: []
  }]
  const ids = [undefined, null, 1, "x", 1.5, true, {}, []]

  it.effect("a random message is never a fault", () =>
    Effect.gen(function*() {
      const session = yield* open(yield* serve({ agents }))
      const sent = methods.flatMap((method) =>
        params.flatMap((given) => ids.map((id) => ({ jsonrpc: "2.0", id, method, params: given })))
      )
      for (const message of Tier.ofEach(sent, 20, ({ method }) => method)) yield* sound(session, message)
      for (const body of [null, 1, "x", [], [[]], [1], {}, { jsonrpc: "1.0", id: 1, method: "ping" }]) {
        yield* sound(session, body)
      }
      noFaults(session)
    }))
})
