// Teams over the wire: raw bytes in, raw bytes out.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { ask, at, column, get, list, notFound, serve } from "../Wire.ts"
import { used } from "./Fixtures.ts"

Tier.oneIn(6)

const delegate = toolCall("delegate_task_to_member", { member_id: "reader", task: "read" }, "call_1")

/** The team of the recorded responses. */
const desk = Effect.gen(function*() {
  const reader = yield* Script.make(Array.from({ length: 9 }, () => [text("I read", " it."), used]))
  const leader = yield* Script.make(
    Array.from(
      { length: 99 },
      () => ({ prompt }: Script.Call) =>
        prompt.content.at(-1)?.role === "tool" ? [text("All", " done."), used] : [delegate, used]
    )
  )
  return Team.make({
    id: "desk",
    name: "Desk",
    model: leader.model,
    members: [
      Agent.make({ id: "reader", name: "Reader", role: "Reads", model: reader.model }),
      Agent.make({ id: "writer", name: "Writer", role: "Writes", model: reader.model })
    ]
  })
})

const start = (server: TestServer.TestServer, fields: Readonly<Record<string, string>>, team = "desk") =>
  ask(server, `/teams/${team}/runs`, { method: "POST", body: new URLSearchParams({ message: "go", ...fields }) })

const framesOf = (body: string) =>
  body.trim().split("\n\n").filter((frame) => !frame.startsWith(":")).map((frame) => {
    const lines = frame.split("\n")
    const value = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ""
    const data: unknown = JSON.parse(value("data"))
    return { event: value("event"), data }
  })

const serveDesk = Effect.gen(function*() {
  return yield* serve({ teams: [yield* desk] })
})

describe("discovery", () => {
  it.effect("a team is shown with its mode, the tool by which it asks members, and its members", () =>
    Effect.gen(function*() {
      const server = yield* serveDesk
      const { json: teams } = yield* get(server, "/teams")
      const [shown] = list(teams)
      assert.deepStrictEqual((yield* get(server, "/teams/desk")).json, shown)
      assert.hasAllKeys(shown, [
        "id",
        "name",
        "db_id",
        "is_factory",
        "is_component",
        "model",
        "tools",
        "sessions",
        "mode",
        "streaming",
        "members"
      ])
      assert.strictEqual(at(shown, "mode"), "coordinate")
      assert.deepStrictEqual(at(shown, "streaming"), { stream_member_events: true })
      const [tool] = list(shown, "tools", "tools")
      assert.strictEqual(at(tool, "name"), "delegate_task_to_member")
      assert.deepStrictEqual(at(tool, "parameters", "required"), ["member_id", "task"])
      assert.strictEqual(at(tool, "parameters", "additionalProperties"), false)
      assert.deepStrictEqual(list(shown, "members")[0], {
        id: "reader",
        name: "Reader",
        role: "Reads",
        is_factory: false,
        is_component: false,
        model: { name: "ScriptedModel", model: "scripted", provider: "Scripted" }
      })
      notFound(yield* get(server, "/teams/unknown"), "Team not found: 'unknown'. ")
      assert.strictEqual(at((yield* get(server, "/info")).json, "team_count"), 1)
      assert.deepStrictEqual(at((yield* get(server, "/config")).json, "teams"), [{
        id: "desk",
        name: "Desk",
        db_id: "main-db",
        mode: "coordinate",
        model: { id: "scripted", provider: "Scripted" }
      }])
      assert.deepStrictEqual((yield* get(server, "/models")).json, [{ id: "scripted", provider: "Scripted" }])
    }))
})

describe("a run of a team", () => {
  it.effect("a run of a team answers with its members' runs in it", () =>
    Effect.gen(function*() {
      const server = yield* serveDesk
      const { json, status } = yield* start(server, { stream: "false", session_id: "s" })
      assert.strictEqual(status, 200)
      assert.strictEqual(at(json, "team_id"), "desk")
      assert.strictEqual(at(json, "team_name"), "Desk")
      assert.strictEqual(at(json, "content"), "All done.")
      assert.notProperty(json, "agent_id")
      const [response] = list(json, "member_responses")
      assert.strictEqual(at(response, "parent_run_id"), at(json, "run_id"))
      assert.strictEqual(at(response, "agent_id"), "reader")
      assert.strictEqual(at(response, "content"), "I read it.")
      assert.deepStrictEqual(column(list(response, "messages"), "role"), ["system", "user", "assistant"])
      assert.deepStrictEqual(column(list(json, "messages"), "role"), [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant"
      ])
      assert.strictEqual(at(json, "metrics", "total_tokens"), 30)
      const { json: read } = yield* get(server, `/teams/desk/runs/${String(at(json, "run_id"))}?session_id=s`)
      assert.deepStrictEqual(list(read, "member_responses"), list(json, "member_responses"))
    }))

  it.effect("the total of a run of a team has the usage of its members, in responses, records, lists and streams", () =>
    Effect.gen(function*() {
      const server = yield* serveDesk
      const { json } = yield* start(server, { session_id: "s", stream: "false" })
      const { json: read } = yield* get(server, `/teams/desk/runs/${String(at(json, "run_id"))}?session_id=s`)
      const { json: records } = yield* get(server, "/sessions/s/runs?type=team")
      const streamed = framesOf((yield* start(server, { session_id: "t" })).text)
      const last = streamed.find(({ event }) => event === "TeamRunCompleted")?.data
      const record = list(records).find((each) => at(each, "run_id") === at(json, "run_id"))
      for (const run of [json, read, record, last]) {
        assert.strictEqual(at(run, "metrics", "total_tokens"), 30)
        assert.strictEqual(at(run, "total_metrics", "total_tokens"), 45)
      }
      const [member] = list(json, "member_responses")
      assert.notProperty(member, "total_metrics")
    }))

  it.effect("a run of a team streams the events of its members among its own", () =>
    Effect.gen(function*() {
      const server = yield* serveDesk
      const answer = yield* start(server, { session_id: "s" })
      assert.strictEqual(answer.headers.get("content-type"), "text/event-stream; charset=utf-8")
      const frames = framesOf(answer.text)
      const kinds = frames.map(({ event }) => event)
      assert.deepStrictEqual(kinds, [
        "TeamRunStarted",
        "TeamModelRequestStarted",
        "TeamModelRequestCompleted",
        "TeamToolCallStarted",
        "RunStarted",
        "ModelRequestStarted",
        "RunContent",
        "RunContent",
        "ModelRequestCompleted",
        "RunContentCompleted",
        "RunCompleted",
        "TeamToolCallCompleted",
        "TeamModelRequestStarted",
        "TeamRunContent",
        "TeamRunContent",
        "TeamModelRequestCompleted",
        "TeamRunContentCompleted",
        "TeamRunCompleted"
      ])
      assert.isTrue(frames.every(({ data, event }) => at(data, "event") === event))
      const teamRun = at(frames[0]?.data, "run_id")
      const started = frames[4]?.data
      assert.hasAllKeys(started, [
        "created_at",
        "event",
        "agent_id",
        "agent_name",
        "run_id",
        "parent_run_id",
        "session_id",
        "nested_depth",
        "model",
        "model_provider",
        "event_index"
      ])
      assert.strictEqual(at(started, "parent_run_id"), teamRun)
      assert.strictEqual(at(frames[11]?.data, "tool", "child_run_id"), at(started, "run_id"))
      assert.strictEqual(list(frames.at(-1)?.data, "member_responses").length, 1)
      const events = yield* get(server, `/teams/desk/runs/${String(teamRun)}/events?session_id=s`)
      assert.strictEqual(events.text, answer.text, "and anybody may see them again")
      const resumed = yield* ask(server, `/teams/desk/runs/${String(teamRun)}/resume`, {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", last_event_index: "16" })
      })
      assert.deepStrictEqual(framesOf(resumed.text).map(({ event }) => event), ["replay", "TeamRunCompleted"])
      const essential = framesOf((yield* start(server, { stream_events: "false" })).text)
      assert.deepStrictEqual([...new Set(essential.map(({ event }) => event))], ["RunContent", "TeamRunContent"])
    }))

  it.effect("a run of a team is stored in its session after its members' runs, and listed without them", () =>
    Effect.gen(function*() {
      const server = yield* serveDesk
      const { json } = yield* start(server, { stream: "false", session_id: "s", user_id: "ann" })
      const team_run = at(json, "run_id")
      const member_run = at(list(json, "member_responses")[0], "run_id")
      const { json: inSession } = yield* get(server, "/sessions/s/runs")
      assert.deepStrictEqual(column(list(inSession), "run_id"), [member_run, team_run])
      assert.deepStrictEqual(column(list(inSession), "parent_run_id"), [team_run, ""])
      assert.strictEqual(at(list(inSession)[0], "agent_id"), "reader")
      assert.strictEqual(at(list(inSession)[1], "team_id"), "desk")
      assert.notProperty(list(inSession)[1], "user_id")
      const { json: runs } = yield* get(server, "/teams/desk/runs?session_id=s")
      assert.deepStrictEqual(column(list(runs), "run_id"), [team_run])
      assert.strictEqual(at(list(runs)[0], "citations"), null)
      const hidden = yield* get(server, `/teams/desk/runs/${String(member_run)}?session_id=s`)
      assert.strictEqual(hidden.status, 404)
      const { json: session } = yield* get(server, "/sessions/s")
      assert.strictEqual(at(session, "team_id"), "desk")
      assert.strictEqual(at(session, "total_tokens"), 45)
      assert.deepStrictEqual(at(session, "team_data"), {
        name: "Desk",
        team_id: "desk",
        model: { name: "ScriptedModel", provider: "Scripted", id: "scripted" }
      })
      const roles = ["system", "user", "assistant", "tool", "assistant"]
      assert.deepStrictEqual(column(list(session, "chat_history"), "role"), roles)
      const contents = column(list(session, "chat_history"), "content").slice(1)
      assert.deepStrictEqual(contents, ["go", undefined, "I read it.", "All done."])
    }))

  it.effect("a background run of a team is accepted, and cancelled with the members at work", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      const hangs = Effect.onInterrupt(
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
        () => Deferred.succeed(ended, undefined)
      )
      const reader = yield* Script.make([[text("So far"), Script.wait(hangs)]])
      const leader = yield* Script.make([[delegate]])
      const members = [Agent.make({ id: "reader", model: reader.model })]
      const server = yield* serve({ teams: [Team.make({ id: "desk", members, model: leader.model })] })
      const accepted = yield* start(server, { stream: "false", background: "true", session_id: "s", run_id: "r" })
      assert.deepStrictEqual([accepted.status, accepted.json], [
        202,
        { run_id: "r", session_id: "s", status: "PENDING" }
      ])
      yield* Deferred.await(begun)
      const cancelled = yield* ask(server, "/teams/desk/runs/r/cancel", { method: "POST" })
      assert.deepStrictEqual([cancelled.status, cancelled.text], [200, "{}"])
      yield* Deferred.await(ended)
      const events = framesOf((yield* get(server, "/teams/desk/runs/r/events?session_id=s")).text)
      assert.deepStrictEqual(
        events.slice(-2).map(({ event }) => event),
        ["RunCancelled", "TeamRunCancelled"]
      )
      const { json } = yield* get(server, "/teams/desk/runs/r?session_id=s")
      assert.strictEqual(at(json, "status"), "CANCELLED")
      assert.deepStrictEqual(column(list(json, "member_responses"), "status"), ["CANCELLED"])
    }))

  it.effect("a run is not found under another team, and needs a message", () =>
    Effect.gen(function*() {
      const server = yield* serveDesk
      assert.strictEqual((yield* start(server, { stream: "false" }, "unknown")).status, 404)
      const refused = yield* ask(server, "/teams/desk/runs", { method: "POST", body: new URLSearchParams({}) })
      assert.strictEqual(refused.status, 422)
    }))
})
