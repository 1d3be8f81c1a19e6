// Runs of agents over real HTTP.
import { assert, describe, it } from "@effect/vitest"
import { AgentRuns, SvcClient } from "@svc-runtime/client/effect"
import * as Session from "@svc-runtime/domain/Session"
import * as Agent from "@svc-runtime/features/Agent"
import { ScriptedModel } from "@svc-runtime/test-support"
import { Effect, Stream } from "effect"
import * as ServedClient from "./ServedClient.ts"

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

describe("AgentRuns", () => {
  it.live("the client runs an agent and waits for its output", () =>
    withService(Effect.gen(function*() {
      const run = yield* AgentRuns.run("assistant", { message: "what?", session_id: "s" })
      assert.strictEqual(run.status, "COMPLETED")
      assert.strictEqual(run.content, "Tea.")
      const client = yield* SvcClient
      const session = yield* client.sessions.get({ params: { session_id: Session.Id.make("s") }, query: {} })
      assert.strictEqual(session.session_name, "what?")
    })))

  it.live("repeated requests with one idempotency key start one run", () =>
    withService(Effect.gen(function*() {
      const request = { message: "what?", idempotencyKey: "k" }
      const first = yield* AgentRuns.run("assistant", request)
      assert.strictEqual((yield* AgentRuns.run("assistant", request)).run_id, first.run_id)
    })))

  it.live("the client streams the events of a run to the last one", () =>
    withService(Effect.gen(function*() {
      const events = yield* Stream.runCollect(AgentRuns.stream("assistant", { message: "what?" }))
      assert.strictEqual(events[0]?.event, "RunStarted")
      assert.strictEqual(events.at(-1)?.event, "RunCompleted")
      assert.deepStrictEqual(
        events.flatMap((event) => event.event === "RunContent" ? [event.content] : []),
        ["Te", "a."]
      )
    })))

  it.live("an error has a tag that says what is wrong with the request", () =>
    withService(Effect.gen(function*() {
      const error = yield* Effect.flip(AgentRuns.run("unknown", { message: "what?" }))
      assert.strictEqual(error._tag, "NotFound")
    })))

  it.live("a client with a token is accepted", () =>
    withService(
      Effect.map(
        AgentRuns.run("assistant", { message: "what?" }),
        ({ content }) => assert.strictEqual(content, "Tea.")
      ),
      { securityKey: "the key", token: "the key" }
    ))

  it.live("a refused client gets an error with the tag of the refusal", () =>
    withService(
      Effect.gen(function*() {
        const error = yield* Effect.flip(AgentRuns.run("assistant", { message: "what?" }))
        assert.strictEqual(error._tag, "Unauthenticated")
      }),
      { securityKey: "the key" }
    ))
})
