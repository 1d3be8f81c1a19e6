// The trees of runs that each protocol starts, over its own wire, against the files of their kinds in `trees`: the
// stored tree, and all spans of its trace, with the request that started it.
import { assert, it } from "@effect/vitest"
import type { Span } from "@svc-runtime/domain/Span"
import { Agent, AgentFactory, RemoteAgent, Team, Tool } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as SpanTree from "@svc-runtime/test-support/SpanTree"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Clock, Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import OpenAI from "openai"
import * as Sdk from "./a2a/Sdk.ts"
import * as AgUiClient from "./agui/AgUiClient.ts"
import * as ChatClient from "./chat/ChatClient.ts"
import { always, at, get, list, post } from "./Wire.ts"
import { delegate } from "./wire/TeamFlow.ts"
import { all, listenTraced, start } from "./wire/TracedRuns.ts"

Tier.oneIn(8)

/** Shown of each span: the component of a run, and what else says which kind it is. */
const attributes = [
  "svc.agent.id",
  "svc.team.id",
  "gen_ai.agent.name",
  "server.address",
  "svc.attempt",
  "http.response.status_code"
]

interface Traced {
  readonly server: TestServer.TestServer
  readonly spans: ReadonlyArray<Span>
}

/** The spans of the traces that have runs: the test itself sends requests as well. */
const spansOf = ({ spans }: Traced) => {
  const traces = new Set(spans.flatMap(({ run_id, trace_id }) => run_id === null ? [] : [trace_id]))
  return SpanTree.of(spans.filter(({ trace_id }) => traces.has(trace_id)), { attributes })
}

/** Both trees, with an empty line between them. */
const treesOf = (traced: Traced) =>
  Effect.map(all(traced.server), (stored) => [...stored, "", ...spansOf(traced)].join("\n"))

/** The span of a job can end after what it did is shown. */
const jobsEnded = ({ server, spans }: Traced, count = 1) =>
  Effect.repeat(Effect.andThen(get(server, "/health"), Effect.sync(() => spans)), {
    until: (ended) => ended.filter(({ name }) => name.startsWith("job ")).length >= count
  })

const look = Tool.make({
  name: "look",
  parameters: Schema.Struct({ at: Schema.String }),
  effects: "read",
  execute: ({ at }) => `seen ${at}`
})

/** An agent that calls a tool before it answers. */
const guide = Effect.map(
  Script.make([[Script.toolCall("look", { at: "tea" })], [Script.text("Hel", "lo.")]]),
  ({ model }) => Agent.make({ id: "guide", model, tools: [look] })
)

const anyId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

const fetch = { allow: ["127.0.0.1"] }

const a2a = Effect.gen(function*() {
  const traced = yield* listenTraced({ agents: [yield* guide] })
  const [dialect] = Sdk.dialects as [Sdk.Dialect]
  const client = yield* Sdk.connect(`${traced.url}/a2a/agents/guide`, dialect)
  yield* Effect.promise(() => client.sendMessage(Sdk.message("hi")))
  return yield* treesOf(traced)
})

const agui = Effect.gen(function*() {
  const traced = yield* listenTraced({ agents: [yield* guide] })
  const client = AgUiClient.make("1.0.0", `${traced.url}/agents/guide/agui`)
  AgUiClient.accepted(yield* client.say("hi"))
  return yield* treesOf(traced)
})

const chat = Effect.gen(function*() {
  const traced = yield* listenTraced({ agents: [yield* guide] })
  ChatClient.withoutErrors(yield* ChatClient.make(traced.url, "agents/guide").send([ChatClient.user("hi")]))
  return yield* treesOf(traced)
})

const openaiOf = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 })

const completions = Effect.gen(function*() {
  const traced = yield* listenTraced({ agents: [yield* guide] })
  const messages = [{ role: "user" as const, content: "hi" }]
  yield* Effect.promise(() => openaiOf(traced.url).chat.completions.create({ model: "guide", messages }))
  return yield* treesOf(traced)
})

const responses = Effect.gen(function*() {
  const traced = yield* listenTraced({ agents: [yield* guide] })
  yield* Effect.promise(async () => {
    for await (const _ of await openaiOf(traced.url).responses.create({ model: "guide", input: "hi", stream: true }));
  })
  return yield* treesOf(traced)
})

const schedule = { name: "report", endpoint: "/agents/guide/runs", payload: { message: "Report", session_id: "s" } }

const scheduledRuns = (server: TestServer.TestServer, id: unknown) =>
  Effect.map(get(server, `/schedules/${String(id)}/runs`), ({ json }) => list(json, "data"))

/** Fired by the clock, which skips a minute. */
const scheduled = Effect.gen(function*() {
  const clock = yield* Clock.Clock
  let skipped = 0
  const skipping: Clock.Clock = Object.create(clock, {
    currentTimeMillisUnsafe: { value: () => clock.currentTimeMillisUnsafe() + skipped },
    currentTimeMillis: { value: Effect.sync(() => clock.currentTimeMillisUnsafe() + skipped) }
  })
  const traced = yield* Effect.provideService(listenTraced({ agents: [yield* guide] }), Clock.Clock, skipping)
  const { server } = traced
  const made = yield* post(server, "/schedules", { ...schedule, cron_expr: "* * * * *" })
  skipped = 60_000
  // a change lets the service look for schedules that are due
  yield* post(server, "/schedules", { ...schedule, name: "other", cron_expr: "0 0 1 1 *" })
  yield* Effect.repeat(scheduledRuns(server, at(made.json, "id")), {
    until: (runs) => runs.some((run) => at(run, "status") === "success")
  })
  yield* jobsEnded(traced)
  return yield* treesOf(traced)
})

/** Triggered by a request. The first attempt fails. */
const triggered = Effect.gen(function*() {
  const { model } = yield* Script.make([[Script.fail("provider is down")], [Script.text("Hello.")]])
  const traced = yield* listenTraced({ agents: [Agent.make({ id: "guide", model })] })
  const fields = { ...schedule, cron_expr: "0 0 1 1 *", max_retries: 1, retry_delay_seconds: 1 }
  const made = yield* post(traced.server, "/schedules", fields)
  yield* post(traced.server, `/schedules/${String(at(made.json, "id"))}/trigger`, {})
  yield* jobsEnded(traced, 2)
  return yield* treesOf(traced)
})

const factory = Effect.gen(function*() {
  const agent = yield* guide
  const made = AgentFactory.make({
    id: "tenants",
    inputSchema: Schema.Struct({ tenant: Schema.String }),
    build: ({ input }) => Agent.make({ id: "tenants", model: agent.model, name: `of ${input?.tenant}`, tools: [look] })
  })
  const traced = yield* listenTraced({ agents: [made] })
  yield* start(traced.server, "/agents/tenants/runs", { factory_input: JSON.stringify({ tenant: "acme" }) })
  return yield* treesOf(traced)
})

/** A team whose member is in another service: the trees of both. */
const remote = Effect.gen(function*() {
  const far = yield* listenTraced({ agents: [yield* guide] })
  const member = RemoteAgent.a2a({ id: "far", url: `${far.url}/a2a/agents/guide` })
  const { model } = yield* Script.make([[delegate("far", "call_1")], [Script.text("Done.")]])
  const near = yield* listenTraced({ teams: [Team.make({ id: "desk", model, members: [member] })], fetch })
  yield* start(near.server, "/teams/desk/runs")
  const [of, there] = [yield* treesOf(near), yield* treesOf(far)]
  return `${of}\n\n${there}`.replaceAll(new URL(far.url).host, "HOST").replaceAll(anyId, "ID")
})

const scoring = Effect.gen(function*() {
  const { model } = yield* always(Script.text("It is Paris"))
  const scorers = [{ type: "contains", texts: ["Paris"] }, { type: "judge", criteria: "Paris" }] as const
  const agent = Agent.make({ id: "guide", model, onlineScoring: { scorers, sampleRate: 1 } })
  const traced = yield* listenTraced({ agents: [agent], model: "demo" })
  yield* start(traced.server, "/agents/guide/runs")
  yield* jobsEnded(traced)
  return yield* treesOf(traced)
})

const kinds = {
  a2a,
  agui,
  chat,
  completions,
  factory,
  remote,
  responses,
  scheduled,
  scoring,
  triggered
}

for (const [kind, trees] of Object.entries(kinds)) {
  it.live(`the trees of a run over a protocol are those of its file, ${kind}`, () =>
    Effect.gen(function*() {
      const file = new URL(`trees/${kind}.txt`, import.meta.url)
      assert.strictEqual(`${yield* trees}\n`, readFileSync(file, "utf8"))
    }))
}
