// Clients that reconnect, sockets that die, and whose runs a socket sees.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { closed, token } from "../authorization/Closed.ts"
import { at, list } from "../Wire.ts"
import { connect, error, fetched, gated, kinds, serve, start, until } from "./SocketService.ts"

Tier.oneIn(8)

describe("a client that reconnects", () => {
  it.effect("a client that reconnects to an executing run gets the missed events, and then the new ones", () =>
    Effect.gen(function*() {
      const { reached, release, workflow } = yield* gated
      const { url } = yield* serve({ workflows: [workflow] })
      const one = yield* connect(url)
      yield* one.send({ ...start, workflow_id: "gated" })
      yield* reached
      while (at(yield* one.next, "step_name") !== "wait");
      const other = yield* connect(url)
      yield* other.send({
        action: "reconnect",
        workflow_id: "gated",
        run_id: "r",
        session_id: "s",
        last_event_index: 1
      })
      const missed = yield* until(other, "subscribed")
      assert.deepStrictEqual(kinds(missed), ["catch_up", "StepCompleted", "StepStarted", "subscribed"])
      assert.deepStrictEqual([at(missed[0], "missed_events"), at(missed[1], "event_index")], [3, 3])
      yield* release
      const rest = yield* until(other, "WorkflowCompleted")
      assert.deepStrictEqual(kinds(rest), ["StepCompleted", "WorkflowCompleted"])
      assert.isUndefined(at(rest[0], "live"))
    }))

  it.effect("a client that reconnects to an ended run gets the events after the last one that it has seen", () =>
    Effect.gen(function*() {
      const { url } = yield* serve()
      const one = yield* connect(url)
      yield* one.send(start)
      yield* until(one, "WorkflowCompleted")
      const other = yield* connect(url)
      yield* other.send({ action: "reconnect", run_id: "r", last_event_index: 5 })
      const rest = yield* until(other, "WorkflowCompleted")
      assert.deepStrictEqual(rest.map((frame) => at(frame, "event_index")), [undefined, 6, 7])
      assert.deepStrictEqual([at(rest[0], "event"), at(rest[0], "total_events")], ["replay", 2])
      yield* other.send({ action: "reconnect", run_id: "r" })
      const frames = yield* until(other, "WorkflowCompleted")
      assert.deepStrictEqual(kinds(frames).slice(0, 3), ["replay", "WorkflowStarted", "StepStarted"])
      assert.deepStrictEqual([at(frames[0], "status"), at(frames[0], "total_events")], ["COMPLETED", 8])
      yield* other.send({ action: "reconnect", run_id: "r", last_event_index: 7 })
      assert.deepStrictEqual(at(yield* other.next, "total_events"), 0)
    }))

  it.effect("a client that reconnects to an unknown run gets an error", () =>
    Effect.gen(function*() {
      const client = yield* connect((yield* serve()).url)
      const frames = yield* client.ask({ action: "reconnect", run_id: "r" })
      assert.deepStrictEqual<unknown>(frames, error("Run r not found in buffer or database"))
    }))
})

describe("a socket that dies", () => {
  it.effect("a disconnect leaves the run as it is, and it continues", () =>
    Effect.gen(function*() {
      const { reached, release, workflow } = yield* gated
      const { url } = yield* serve({ workflows: [workflow] })
      yield* Effect.scoped(Effect.gen(function*() {
        const client = yield* connect(url)
        yield* client.send({ ...start, workflow_id: "gated" })
        yield* reached
      }))
      yield* release
      yield* Effect.promise(() => fetch(`${url}/workflows/gated/runs/r/events?session_id=s`).then((all) => all.text()))
      const run = yield* fetched(url, "/workflows/gated/runs/r?session_id=s")
      assert.strictEqual(at(run, "status"), "COMPLETED")
    }))

  it.effect("a disconnect cancels the run where that was requested", () =>
    Effect.gen(function*() {
      const { reached, workflow } = yield* gated
      const { url } = yield* serve({ workflows: [workflow] })
      yield* Effect.scoped(Effect.gen(function*() {
        const client = yield* connect(url)
        yield* client.send({ ...start, workflow_id: "gated", on_disconnect: "cancel" })
        yield* reached
      }))
      const events = yield* Effect.promise(() =>
        fetch(`${url}/workflows/gated/runs/r/events?session_id=s`).then((all) => all.text())
      )
      assert.include(events, "event: WorkflowCancelled")
    }))
})

describe("whose runs they are", () => {
  const as = Effect.fnUntraced(function*(url: string, user: string) {
    const client = yield* connect(url)
    yield* client.send({ action: "authenticate", token: yield* token(user, "workflows:run") })
    yield* client.next
    yield* client.next
    return client
  })

  it.effect("a run belongs to the token's subject, and to the named user without one", () =>
    Effect.gen(function*() {
      const { url } = yield* serve({ authorization: yield* closed })
      const ann = yield* as(url, "ann")
      yield* ann.send({ ...start, user_id: "bob" })
      yield* until(ann, "WorkflowCompleted")
      const bob = yield* as(url, "bob")
      const about = { workflow_id: "plain", run_id: "r", session_id: "s" }
      const missing = error("Run r not found")
      assert.deepStrictEqual<unknown>(yield* bob.ask({ action: "reconnect", ...about }), missing)
      assert.deepStrictEqual<unknown>(yield* bob.ask({ action: "continue-workflow", ...about }), missing)
      assert.deepStrictEqual<unknown>(yield* bob.ask({ action: "cancel-workflow", ...about }), missing)
      assert.deepStrictEqual<unknown>(
        yield* bob.ask({ ...start, run_id: "r2" }),
        error("Session with id 's' not found")
      )
    }))

  it.effect("a hundred unauthenticated sockets are closed, and nothing is left", () =>
    Effect.gen(function*() {
      const { url } = yield* serve({ authorization: { securityKey: "key" } })
      const clients = yield* Effect.forEach(Array.from({ length: 100 }), () => connect(url), { concurrency: 20 })
      for (const client of clients) yield* client.ask(start)
      yield* TestClock.adjust("30 seconds")
      const ends = yield* Effect.forEach(clients, (client) => client.closed)
      for (const end of ends) assert.deepStrictEqual(end, { code: 1008, reason: "Authentication timeout" })
      const sessions = yield* Effect.promise(() =>
        fetch(`${url}/sessions`, { headers: { authorization: "Bearer key" } }).then((response) => response.json())
      )
      assert.deepStrictEqual(list(sessions, "data"), [])
    }))
})
