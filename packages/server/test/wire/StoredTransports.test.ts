// Stored components are used as registered ones are: streams, approvals, sessions, schedules and scopes.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { ask, at, column, failed, frames, get, kindsOf, list, notFound, post, runWhole, send, serve } from "../Wire.ts"
import { passing } from "./ScheduleTime.ts"
import { publishSecond, registry, seed } from "./StoredComponents.ts"

Tier.oneIn(8)

const served = Effect.gen(function*() {
  const server = yield* serve({ registry: yield* registry })
  yield* seed(server)
  return server
})

const fields = { message: "Hi", session_id: "s", run_id: "r" }

const streamed = (server: TestServer.TestServer, path: string) =>
  ask(server, `${path}/runs`, { method: "POST", body: new URLSearchParams({ ...fields, stream: "true" }) })

describe("a stored component on the wire", () => {
  it.effect("the events are streamed, and read again after the component is deleted", () =>
    Effect.gen(function*() {
      const server = yield* served
      const kinds = [["workflows", "flow", "Workflow"], ["teams", "desk", "TeamRun"], [
        "agents",
        "host",
        "Run"
      ]] as const
      for (const [kind, id, prefix] of kinds) {
        const path = `/${kind}/${id}`
        const answer = yield* ask(server, `${path}/runs`, {
          method: "POST",
          body: new URLSearchParams({ message: "Hi", session_id: id, run_id: id, stream: "true" })
        })
        assert.strictEqual(answer.status, 200, answer.text)
        const events = frames(answer.text)
        assert.strictEqual(kindsOf(events)[0], `${prefix}Started`)
        assert.strictEqual(kindsOf(events).at(-1), `${prefix}Completed`)
        const content = kind === "workflows" ? "First!" : "First"
        assert.strictEqual(at(events.at(-1), "data", "content"), content)
        assert.strictEqual((yield* send(server, "DELETE", path, undefined)).status, 204)
        const again = yield* get(server, `${path}/runs/${id}/events?session_id=${id}`)
        assert.strictEqual(again.text, answer.text)
        const rest = yield* ask(server, `${path}/runs/${id}/events?session_id=${id}`, {
          headers: { "last-event-id": String(events.at(-2)?.id) }
        })
        assert.deepStrictEqual(frames(rest.text), events.slice(-1))
        const body = new URLSearchParams({ session_id: id, last_event_index: "-1" })
        const resumed = yield* ask(server, `${path}/runs/${id}/resume`, { method: "POST", body })
        assert.include(resumed.text, `event: ${prefix}Completed`)
      }
    }))

  it.effect("a resolved approval resumes its run with the version of its start, also after another is current", () =>
    Effect.gen(function*() {
      const server = yield* served
      const paused = yield* runWhole(server, "asking", fields)
      assert.strictEqual(at(paused.json, "status"), "PAUSED", paused.text)
      yield* publishSecond(server, "/agents/asking")
      const [approval] = list((yield* get(server, "/approvals")).json, "data")
      const resolved = yield* post(server, `/approvals/${encodeURIComponent(String(at(approval, "id")))}/resolve`, {
        status: "approved"
      })
      assert.strictEqual(resolved.status, 200, resolved.text)
      const ended = yield* Effect.repeat(
        Effect.andThen(TestClock.adjust("1 second"), get(server, "/agents/asking/runs/r?session_id=s")),
        { until: ({ json }) => at(json, "status") === "COMPLETED", times: 30 }
      )
      assert.strictEqual(at(ended.json, "content"), "First", ended.text)
      const next = yield* runWhole(server, "asking", { ...fields, session_id: "t", run_id: "next" })
      assert.strictEqual(at(next.json, "status"), "PAUSED")
    }))

  it.effect("a paused run is continued with the version of its start after the component is deleted", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* runWhole(server, "asking", fields)
      yield* send(server, "DELETE", "/agents/asking", undefined)
      const tools = JSON.stringify([{ tool_call_id: "call_1", confirmed: true }])
      const continued = yield* ask(server, "/agents/asking/runs/r/continue", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", tools })
      })
      assert.strictEqual(continued.status, 200, continued.text)
      assert.strictEqual(at(continued.json, "content"), "First")
    }))

  it.effect("the sessions are listed, read, forked and begun like those of a registered component", () =>
    Effect.gen(function*() {
      const server = yield* served
      yield* streamed(server, "/agents/host")
      yield* post(server, "/sessions?type=agent", { session_id: "begun", agent_id: "host" })
      const listed = yield* get(server, "/sessions?type=agent&component_id=host")
      assert.sameMembers([...column(list(listed.json, "data"), "session_id")], ["s", "begun"])
      const runs = yield* get(server, "/sessions/s/runs?type=agent")
      assert.deepStrictEqual([column(runs.json, "agent_id"), column(runs.json, "content")], [["host"], ["First"]])
      const began = yield* runWhole(server, "host", { message: "Hi", session_id: "begun" })
      assert.strictEqual(at(began.json, "content"), "First")
      const forked = yield* ask(server, "/agents/host/sessions/s/fork", { method: "POST" })
      assert.strictEqual(at(forked.json, "forked_from_session_id"), "s", forked.text)
      notFound(yield* runWhole(server, "asking", { message: "Hi", session_id: "begun" }))
    }))

  it.effect("a schedule runs it in the version that is current at each of its times", () =>
    Effect.gen(function*() {
      const server = yield* served
      const made = yield* post(server, "/schedules", {
        name: "Daily",
        cron_expr: "0 0 1 1 *",
        endpoint: "/agents/host/runs",
        payload: { message: "Report" }
      })
      assert.strictEqual(made.status, 201, made.text)
      const path = `/schedules/${String(at(made.json, "id"))}/trigger`
      const contents: Array<unknown> = []
      for (let run = 0; run < 2; run++) {
        const { json, text } = yield* passing(post(server, path, {}))
        assert.strictEqual(at(json, "status"), "success", text)
        contents.push(at(json, "output", "content"))
        yield* publishSecond(server, "/agents/host")
      }
      assert.deepStrictEqual(contents, ["First", "Second"])
      yield* send(server, "DELETE", "/agents/host", undefined)
      const { json } = yield* passing(post(server, path, {}))
      assert.deepInclude(json as object, { status: "failed", status_code: 404 })
      assert.include(at(json, "error"), "Agent not found")
    }))
})

describe("the scopes of a stored component", () => {
  const runs = { method: "POST", body: new URLSearchParams({ ...fields, stream: "false" }) }

  it.effect("scopes of one component allow to run and to see that one", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ agents: [], teams: [], workflows: [], registry: yield* registry })
      const scopes = ["agents:write", "teams:write", "workflows:write"]
      yield* seed(server, yield* token("eve", ...scopes))
      for (const [kind, id] of [["agents", "host"], ["teams", "desk"], ["workflows", "flow"]] as const) {
        const bearer = yield* token("ann", `${kind}:${id}:read`, `${kind}:${id}:run`)
        const body = new URLSearchParams({ message: "Hi", stream: "false" })
        const ran = yield* call(server, { path: `/${kind}/${id}/runs`, init: { method: "POST", body } }, bearer)
        assert.strictEqual(at(ran.json, "status"), "COMPLETED", ran.text)
        assert.deepStrictEqual(column((yield* call(server, { path: `/${kind}` }, bearer)).json, "id"), [id])
        assert.strictEqual((yield* call(server, { path: `/${kind}/${id}` }, bearer)).status, 200)
        failed(yield* call(server, { path: `/${kind}/other/runs`, init: runs }, bearer), 403, "FORBIDDEN")
        failed(
          yield* call(server, { path: `/${kind}/${id}`, init: { method: "DELETE" } }, bearer),
          403,
          "FORBIDDEN"
        )
      }
      const bearer = yield* token("ann", "agents:host:read", "agents:host:run")
      failed(yield* call(server, { path: "/agents/asking/runs", init: runs }, bearer), 403, "FORBIDDEN")
      failed(yield* call(server, { path: "/agents/asking" }, bearer), 403, "FORBIDDEN")
    }))

  it.effect("isolated users share the component, and not its runs and sessions", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({ agents: [], teams: [], workflows: [], registry: yield* registry })
      yield* seed(server, yield* token("eve", "agents:write", "teams:write", "workflows:write"))
      const scopes = ["agents:read", "agents:run", "sessions:read"]
      const [ann, bob] = [yield* token("ann", ...scopes), yield* token("bob", ...scopes)]
      assert.strictEqual((yield* call(server, { path: "/agents/host/runs", init: runs }, ann)).status, 200)
      const path = "/agents/host/runs/r?session_id=s"
      assert.strictEqual((yield* call(server, { path }, ann)).status, 200)
      notFound(yield* call(server, { path }, bob), "Run not found")
      const into = { method: "POST", body: new URLSearchParams({ message: "Hi", session_id: "s", stream: "false" }) }
      notFound(yield* call(server, { path: "/agents/host/runs", init: into }, bob))
      const sessions = yield* call(server, { path: "/sessions?type=agent" }, bob)
      assert.deepStrictEqual(list(sessions.json, "data"), [])
    }))
})
