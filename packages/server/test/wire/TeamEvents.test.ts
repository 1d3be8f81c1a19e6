// The order of what a team's run says, in each mode and at each end, byte for byte from the stream: the
// team's events, and those of its members among them.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc/runtime/agent/Agent"
import * as Team from "@svc/runtime/team/Team"
import * as Tool from "@svc/runtime/tool/Tool"
import * as Script from "@svc/testing/ScriptedModel"
import { text, toolCall } from "@svc/testing/ScriptedModel"
import type * as TestServer from "@svc/testing/TestServer"
import { Deferred, Effect, Fiber } from "effect"
import { ask, at, column, type Frame, frames, get, hasKeys, list, serve } from "../Wire.ts"

const delegate = (member_id: string, id = "call_1") =>
  toolCall("delegate_task_to_member", { member_id, task: "read" }, id)

const member = Effect.fnUntraced(
  function*(id: string, turns: ReadonlyArray<Script.Turn>, tools: ReadonlyArray<Tool.Tool> = []) {
    const { model } = yield* Script.make(turns)
    return Agent.make({ id, name: id.toUpperCase(), model, tools })
  }
)

const teamOf = Effect.fnUntraced(function*(
  members: ReadonlyArray<Team.Member>,
  turns: ReadonlyArray<Script.Turn>,
  options: Partial<Team.Options> = {}
) {
  const { model } = yield* Script.make(turns)
  return Team.make({ id: "desk", name: "Desk", model, members, ...options })
})

type Fields = Readonly<Record<string, string>>

const post = (server: TestServer.TestServer, path: string, fields: Fields) =>
  ask(server, `/teams/desk/runs${path}`, { method: "POST", body: new URLSearchParams({ session_id: "s", ...fields }) })

const start = (server: TestServer.TestServer, fields: Fields = {}) =>
  post(server, "", { message: "go", run_id: "r", ...fields })

/** Who says an event, and which. */
const eventLines = (all: ReadonlyArray<Frame>): ReadonlyArray<string> =>
  all.map(({ data, kind }) => `${String(data["agent_id"] ?? data["team_id"])} ${kind}`)

const streamed = Effect.fnUntraced(function*(team: Team.Team, fields: Fields = {}) {
  const server = yield* serve({ teams: [team] })
  const answer = yield* start(server, fields)
  assert.strictEqual(answer.status, 200, answer.text)
  return { all: frames(answer.text), server }
})

const stored = (server: TestServer.TestServer) =>
  Effect.map(get(server, "/teams/desk/runs/r?session_id=s"), ({ json }) => json)

const asked = (who: string) => [`${who} TeamModelRequestStarted`, `${who} TeamModelRequestCompleted`]

const answered = (who: string) => [
  `${who} TeamModelRequestStarted`,
  `${who} TeamRunContent`,
  `${who} TeamModelRequestCompleted`,
  `${who} TeamRunContentCompleted`
]

const answerOf = (who: string) => [
  `${who} ModelRequestStarted`,
  `${who} RunContent`,
  `${who} ModelRequestCompleted`,
  `${who} RunContentCompleted`
]

const whole = (who: string) => [`${who} RunStarted`, ...answerOf(who), `${who} RunCompleted`]

const base = ["created_at", "event", "team_id", "team_name", "run_id", "session_id", "nested_depth", "event_index"]

describe("the events of a team", () => {
  it.effect("a team in mode route shows the member's answer as its own, and does not ask the leader again", () =>
    Effect.gen(function*() {
      const team = yield* teamOf([yield* member("reader", [[text("Read", " it.")]])], [[delegate("reader")]], {
        mode: "route"
      })
      const { all } = yield* streamed(team)
      assert.deepStrictEqual(eventLines(all), [
        "desk TeamRunStarted",
        ...asked("desk"),
        "desk TeamToolCallStarted",
        "reader RunStarted",
        "reader ModelRequestStarted",
        "reader RunContent",
        "reader RunContent",
        "reader ModelRequestCompleted",
        "reader RunContentCompleted",
        "reader RunCompleted",
        "desk TeamToolCallCompleted",
        "desk TeamRunContent",
        "desk TeamRunContentCompleted",
        "desk TeamRunCompleted"
      ])
      const content = all.at(-3)?.data
      hasKeys(content, ...base, "content", "content_type", "reasoning_content")
      assert.strictEqual(at(content, "content"), "Read it.")
      assert.strictEqual(at(all.at(-1)?.data, "content"), "Read it.")
    }))

  it.effect("a team in mode broadcast asks all members by one call, each in its own order", () =>
    Effect.gen(function*() {
      const members = [yield* member("reader", [[text("A")]]), yield* member("writer", [[text("B")]])]
      const call = toolCall("delegate_task_to_members", { task: "read" }, "call_1")
      const { all } = yield* streamed(yield* teamOf(members, [[call], [text("A and B")]], { mode: "broadcast" }))
      const names = eventLines(all)
      for (const who of ["reader", "writer"]) {
        assert.deepStrictEqual(names.filter((name) => name.startsWith(who)), whole(who))
      }
      assert.deepStrictEqual(names.filter((name) => name.startsWith("desk")), [
        "desk TeamRunStarted",
        ...asked("desk"),
        "desk TeamToolCallStarted",
        "desk TeamToolCallCompleted",
        ...answered("desk"),
        "desk TeamRunCompleted"
      ])
      const between = names.slice(
        names.indexOf("desk TeamToolCallStarted") + 1,
        names.indexOf("desk TeamToolCallCompleted")
      )
      assert.strictEqual(between.length, 12, "all of what members say is inside of the call")
      assert.strictEqual(at(all[3]?.data, "tool", "tool_name"), "delegate_task_to_members")
    }))

  it.effect("a team in mode tasks has rounds around the leader's work, with the list after each", () =>
    Effect.gen(function*() {
      const create = (title: string) =>
        toolCall("create_task", { title, description: "Do it", member_id: "reader" }, `c_${title}`)
      const team = yield* teamOf([yield* member("reader", [[text("Read.")]])], [
        [create("a")],
        [text("Later.")],
        [toolCall("execute_task", { task_id: "task_1" }, "e")],
        [text("Done.")]
      ], { mode: "tasks" })
      const { all } = yield* streamed(team)
      assert.deepStrictEqual(eventLines(all), [
        "desk TeamRunStarted",
        "desk TeamTaskIterationStarted",
        ...asked("desk"),
        "desk TeamToolCallStarted",
        "desk TeamTaskCreated",
        "desk TeamToolCallCompleted",
        "desk TeamModelRequestStarted",
        "desk TeamRunContent",
        "desk TeamModelRequestCompleted",
        "desk TeamTaskStateUpdated",
        "desk TeamTaskIterationCompleted",
        "desk TeamTaskIterationStarted",
        ...asked("desk"),
        "desk TeamToolCallStarted",
        "desk TeamTaskUpdated",
        ...whole("reader"),
        "desk TeamTaskUpdated",
        "desk TeamToolCallCompleted",
        "desk TeamModelRequestStarted",
        "desk TeamRunContent",
        "desk TeamModelRequestCompleted",
        "desk TeamTaskStateUpdated",
        "desk TeamTaskIterationCompleted",
        "desk TeamRunContentCompleted",
        "desk TeamRunCompleted"
      ])
      const of = (kind: string) => all.find((frame) => frame.kind === kind)?.data
      hasKeys(of("TeamTaskIterationStarted"), ...base, "iteration", "max_iterations")
      hasKeys(of("TeamTaskIterationCompleted"), ...base, "iteration", "max_iterations", "task_summary")
      hasKeys(of("TeamTaskStateUpdated"), ...base, "task_summary", "goal_complete", "tasks")
      hasKeys(
        of("TeamTaskCreated"),
        ...base,
        "task_id",
        "title",
        "description",
        "assignee",
        "status",
        "dependencies"
      )
      hasKeys(of("TeamTaskUpdated"), ...base, "task_id", "title", "status", "previous_status", "assignee")
      assert.deepStrictEqual(at(of("TeamTaskStateUpdated"), "tasks"), [{
        id: "task_1",
        title: "a",
        description: "Do it",
        status: "pending",
        assignee: "reader",
        dependencies: []
      }])
    }))

  it.effect("events of a nested team are between its call and the answer, each with the run that it is in", () =>
    Effect.gen(function*() {
      const library = yield* teamOf([yield* member("reader", [[text("Read.")]])], [[delegate("reader")], [
        text("They read.")
      ]], {
        id: "library"
      })
      const { all } = yield* streamed(yield* teamOf([library], [[delegate("library")], [text("Done.")]]))
      assert.deepStrictEqual(eventLines(all), [
        "desk TeamRunStarted",
        ...asked("desk"),
        "desk TeamToolCallStarted",
        "library TeamRunStarted",
        ...asked("library"),
        "library TeamToolCallStarted",
        ...whole("reader"),
        "library TeamToolCallCompleted",
        ...answered("library"),
        "library TeamRunCompleted",
        "desk TeamToolCallCompleted",
        ...answered("desk"),
        "desk TeamRunCompleted"
      ])
      const runOf = (who: string) => {
        const own = all.filter(({ data }) => (data["agent_id"] ?? data["team_id"]) === who)
        return [...new Set(own.map(({ data }) => `${String(data["run_id"])} ${String(data["parent_run_id"] ?? "")}`))]
      }
      const [inner, reader] = [runOf("library")[0]?.split(" ")[0], runOf("reader")[0]?.split(" ")[0]]
      assert.deepStrictEqual([runOf("desk"), runOf("library"), runOf("reader")], [
        ["r "],
        [`${inner} r`],
        [`${reader} ${inner}`]
      ])
      assert.deepStrictEqual(all.map(({ id }) => id), all.map((_, index) => index))
    }))

  it.effect("a team that shows nothing of its members has only its own events", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[text("Read.")]])
      const { all } = yield* streamed(
        yield* teamOf([reader], [[delegate("reader")], [text("Done.")]], { streamMemberEvents: false })
      )
      assert.deepStrictEqual(eventLines(all), [
        "desk TeamRunStarted",
        ...asked("desk"),
        "desk TeamToolCallStarted",
        "desk TeamToolCallCompleted",
        ...answered("desk"),
        "desk TeamRunCompleted"
      ])
      assert.strictEqual(list(all.at(-1)?.data, "member_responses").length, 1)
    }))

  it.effect("a team that asked no member has no event about responses", () =>
    Effect.gen(function*() {
      const { all } = yield* streamed(yield* teamOf([yield* member("reader", [])], [[text("Hello.")]]))
      assert.deepStrictEqual(eventLines(all), ["desk TeamRunStarted", ...answered("desk"), "desk TeamRunCompleted"])
      assert.notProperty(all.at(-1)?.data, "member_responses")
    }))
})

describe("a team in a team, of which a member waits", () => {
  const served = Effect.gen(function*() {
    const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
    const payer = yield* member("payer", [[toolCall("pay", {}, "p")], [text("I paid.")]], [pay])
    const office = yield* teamOf([payer], [[delegate("payer")], [text("They paid.")]], { id: "office" })
    return yield* teamOf([office], [[delegate("office")], [text("Paid.")]])
  })

  it.effect("a nested team pauses from the inside to the outside, and continues in the same order", () =>
    Effect.gen(function*() {
      const { all, server } = yield* streamed(yield* served)
      assert.deepStrictEqual(eventLines(all).slice(4), [
        "office TeamRunStarted",
        ...asked("office"),
        "office TeamToolCallStarted",
        "payer RunStarted",
        "payer ModelRequestStarted",
        "payer ModelRequestCompleted",
        "payer RunContentCompleted",
        "payer RunPaused",
        "office TeamToolCallCompleted",
        "office TeamRunContentCompleted",
        "office TeamRunPaused",
        "desk TeamToolCallCompleted",
        "desk TeamRunContentCompleted",
        "desk TeamRunPaused"
      ])
      const last = all.at(-1)?.data
      hasKeys(last, ...base, "content", "requirements", "tools")
      const [requirement] = list(last, "requirements")
      const payer = all.find(({ kind }) => kind === "RunPaused")?.data
      assert.deepInclude(requirement, {
        member_agent_id: "payer",
        member_agent_name: "PAYER",
        member_run_id: at(payer, "run_id")
      })
      const requirements = JSON.stringify([{ id: at(requirement, "id"), confirmation: true }])
      const second = frames((yield* post(server, "/r/continue", { requirements })).text)
      assert.deepStrictEqual(eventLines(second), [
        "payer RunContinued",
        "payer ToolCallStarted",
        "payer ToolCallCompleted",
        ...answerOf("payer"),
        "payer RunCompleted",
        "office TeamRunContinued",
        ...answered("office"),
        "office TeamRunCompleted",
        "desk TeamRunContinued",
        ...answered("desk"),
        "desk TeamRunCompleted"
      ])
      const ids = [...all, ...second].map(({ id }) => id)
      assert.deepStrictEqual(ids, ids.map((_, index) => index), "one numbering for both")
    }))
})

describe("A leader's own tool that is named like a tool that calls members", () => {
  it.effect("The events of its call are shown after a pause", () =>
    Effect.gen(function*() {
      const report = Tool.make({ name: "execute_task_report", requiresConfirmation: true, execute: () => "reported" })
      const team = yield* teamOf(
        [yield* member("reader", [])],
        [[toolCall("execute_task_report", {}, "call_1")], [text("Done.")]],
        { tools: [report] }
      )
      const { all, server } = yield* streamed(team)
      const [requirement] = list(all.at(-1)?.data, "requirements")
      const requirements = JSON.stringify([{ id: at(requirement, "id"), confirmation: true }])
      const second = frames((yield* post(server, "/r/continue", { requirements })).text)
      assert.deepStrictEqual(eventLines(second), [
        "desk TeamRunContinued",
        "desk TeamToolCallStarted",
        "desk TeamToolCallCompleted",
        ...answered("desk"),
        "desk TeamRunCompleted"
      ])
    }))
})

describe("a team that is cancelled in a member", () => {
  const served = Effect.gen(function*() {
    const begun = yield* Deferred.make<void>()
    const hanging = [text("So far"), Script.wait(Deferred.succeed(begun, undefined)), Script.hang]
    const team = yield* teamOf([yield* member("reader", [hanging])], [[delegate("reader")]])
    return { begun, server: yield* serve({ teams: [team] }) }
  })

  it.effect("a cancelled team ends with the member's end and its own, and no completed event follows", () =>
    Effect.gen(function*() {
      const { begun, server } = yield* served
      const running = yield* Effect.forkChild(start(server))
      yield* Deferred.await(begun)
      yield* post(server, "/r/cancel?session_id=s", {})
      const all = frames((yield* Fiber.join(running)).text)
      assert.deepStrictEqual(eventLines(all).slice(3), [
        "desk TeamToolCallStarted",
        "reader RunStarted",
        "reader ModelRequestStarted",
        "reader RunContent",
        "reader RunCancelled",
        "desk TeamRunCancelled"
      ])
      const [inner, last] = all.slice(-2).map(({ data }) => data)
      hasKeys(last, ...base, "content", "reason")
      assert.strictEqual(at(last, "reason"), "Run r was cancelled")
      assert.strictEqual(at(inner, "content"), "So far")
    }))

  it.effect("a caller who waits for a cancelled team gets its output so far", () =>
    Effect.gen(function*() {
      const { begun, server } = yield* served
      const running = yield* Effect.forkChild(start(server, { stream: "false" }))
      yield* Deferred.await(begun)
      yield* post(server, "/r/cancel?session_id=s", {})
      const { json, status } = yield* Fiber.join(running)
      assert.deepStrictEqual([status, at(json, "status")], [200, "CANCELLED"])
      const [response] = list(json, "member_responses")
      assert.deepInclude(response, { status: "CANCELLED", agent_id: "reader", parent_run_id: "r" })
      assert.strictEqual(at(yield* stored(server), "status"), "CANCELLED")
    }))
})

describe("a member that fails", () => {
  it.effect("a member that fails says so, and its leader gets the error and continues", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[Script.fail("The archive is closed")]])
      const { all, server } = yield* streamed(yield* teamOf([reader], [[delegate("reader")], [text("Sorry.")]]))
      assert.deepStrictEqual(eventLines(all).slice(3), [
        "desk TeamToolCallStarted",
        "reader RunStarted",
        "reader ModelRequestStarted",
        "reader RunError",
        "desk TeamToolCallCompleted",
        "desk TeamToolCallError",
        ...answered("desk"),
        "desk TeamRunCompleted"
      ])
      const completed = all.find(({ kind }) => kind === "TeamToolCallCompleted")?.data
      const error = all.find(({ kind }) => kind === "RunError")?.data
      assert.strictEqual(at(completed, "tool", "tool_call_error"), true)
      assert.strictEqual(at(completed, "tool", "child_run_id"), at(error, "run_id"))
      assert.strictEqual(at(error, "error_type"), "model_provider_error")
      const run = yield* stored(server)
      assert.strictEqual(at(run, "status"), "COMPLETED")
      assert.deepStrictEqual(column(list(run, "member_responses"), "status"), ["ERROR"])
    }))
})

describe("a leader that fails", () => {
  const failing = Effect.gen(function*() {
    const reader = yield* member("reader", [[text("Read.")]])
    return yield* teamOf([reader], [[delegate("reader")], [Script.fail("The leader is away")]])
  })

  it.effect("a leader that fails ends the stream with TeamRunError, and the run is stored as failed, with its members", () =>
    Effect.gen(function*() {
      const { all, server } = yield* streamed(yield* failing)
      assert.deepStrictEqual(eventLines(all).slice(3), [
        "desk TeamToolCallStarted",
        ...whole("reader"),
        "desk TeamToolCallCompleted",
        "desk TeamModelRequestStarted",
        "desk TeamRunError"
      ])
      const last = all.at(-1)?.data
      hasKeys(last, ...base, "content", "error_type")
      assert.include(String(at(last, "content")), "The leader is away")
      const run = yield* stored(server)
      assert.deepInclude(run, { status: "ERROR", content: at(last, "content") })
      assert.deepStrictEqual(column(list(run, "member_responses"), "status"), ["COMPLETED"])
    }))

  it.effect("a leader that fails answers 200 with the error as its content when it is not streamed", () =>
    Effect.gen(function*() {
      const server = yield* serve({ teams: [yield* failing] })
      const { json, status } = yield* start(server, { stream: "false" })
      assert.deepStrictEqual([status, at(json, "status")], [200, "ERROR"])
      assert.include(String(at(json, "content")), "The leader is away")
      assert.strictEqual(list(json, "member_responses").length, 1)
      assert.strictEqual(at(yield* stored(server), "status"), "ERROR")
    }))
})

describe("without the events in between", () => {
  it.effect("a team without intermediate events shows its requirement and its error", () =>
    Effect.gen(function*() {
      const sign = Tool.make({ name: "sign", requiresConfirmation: true, execute: () => "signed" })
      const reader = yield* member("reader", [])
      const paused = yield* teamOf([reader], [[text("Now. "), toolCall("sign", {}, "c")]], { tools: [sign] })
      const failed = yield* teamOf([reader], [[Script.fail("Away")]])
      const quiet = { stream_events: "false" }
      assert.deepStrictEqual(eventLines((yield* streamed(paused, quiet)).all), [
        "desk TeamRunContent",
        "desk TeamRunPaused"
      ])
      assert.deepStrictEqual(eventLines((yield* streamed(failed, quiet)).all), ["desk TeamRunError"])
    }))
})
