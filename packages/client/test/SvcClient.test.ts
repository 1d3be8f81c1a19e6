// The derived client over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import { SvcClient } from "@svc-runtime/client/effect"
import * as AgentId from "@svc-runtime/domain/Agent"
import * as Session from "@svc-runtime/domain/Session"
import * as Agent from "@svc-runtime/features/Agent"
import { ScriptedModel } from "@svc-runtime/test-support"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Stream } from "effect"
import * as ServedClient from "./ServedClient.ts"

Tier.oneIn(3)

interface Access {
  readonly securityKey?: string
  readonly token?: string
}

const withService = <A, E>(program: Effect.Effect<A, E, SvcClient>, { securityKey, ...access }: Access = {}) =>
  Effect.gen(function*() {
    const scripted = yield* ScriptedModel.make([[ScriptedModel.text("Te", "a.")]])
    const agent = Agent.make({ id: "assistant", model: scripted.model })
    return yield* ServedClient.withService({ agents: [agent], authorization: { securityKey }, ...access }, program)
  })

/** Starts a run, and returns what the service responds with: the run, or a stream of its events. */
const start = Effect.fnUntraced(
  function*(agent: string, fields: { readonly stream: boolean; readonly session_id?: string }, key?: string) {
    const client = yield* SvcClient
    return yield* client.agents.createRun({
      params: { agent_id: AgentId.Id.make(agent) },
      headers: key === undefined ? {} : { "idempotency-key": key },
      payload: { message: "what?", ...fields }
    })
  }
)

const run = Effect.fnUntraced(function*(agent: string, session_id = "s", key?: string) {
  const result = yield* start(agent, { stream: false, session_id }, key)
  if (!("content" in result)) throw new Error("the response is no run")
  return result
})

describe("SvcClient", () => {
  it.live("the client runs an agent and waits for its output", () =>
    withService(Effect.gen(function*() {
      const { content, status } = yield* run("assistant")
      assert.deepStrictEqual([status, content], ["COMPLETED", "Tea."])
      const client = yield* SvcClient
      const session = yield* client.sessions.get({ params: { session_id: Session.Id.make("s") }, query: {} })
      assert.strictEqual(session.session_name, "what?")
    })))

  it.live("repeated requests with one idempotency key start one run", () =>
    withService(Effect.gen(function*() {
      const first = yield* run("assistant", "s", "k")
      assert.strictEqual((yield* run("assistant", "s", "k")).run_id, first.run_id)
    })))

  it.live("the client streams the events of a run to the last one", () =>
    withService(Effect.gen(function*() {
      const stream = yield* start("assistant", { stream: true })
      if (!Stream.isStream(stream)) throw new Error("the response is no stream")
      const events = yield* Stream.runCollect(stream)
      assert.strictEqual(events[0]?.event, "RunStarted")
      assert.strictEqual(events.at(-1)?.event, "RunCompleted")
      assert.deepStrictEqual(
        events.flatMap((event) => event.event === "RunContent" ? [event.content] : []),
        ["Te", "a."]
      )
    })))

  it.live("an error has a tag that says what is wrong with the request", () =>
    withService(Effect.gen(function*() {
      const error = yield* Effect.flip(run("unknown"))
      assert.strictEqual(error._tag, "NotFound")
    })))

  it.live("a client with a token is accepted", () =>
    withService(
      Effect.map(run("assistant"), ({ content }) => assert.strictEqual(content, "Tea.")),
      { securityKey: "the key", token: "the key" }
    ))

  it.live("a refused client gets an error with the tag of the refusal", () =>
    withService(
      Effect.gen(function*() {
        const error = yield* Effect.flip(run("assistant"))
        assert.strictEqual(error._tag, "Unauthenticated")
      }),
      { securityKey: "the key" }
    ))
})
