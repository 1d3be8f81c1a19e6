// Checkpoints of teams' runs and copies of their sessions over HTTP.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Schema } from "effect"
import {
  ask,
  at,
  badRequest,
  column,
  frames,
  get,
  hasKeys,
  invalid,
  list,
  notFound,
  send,
  serve,
  uuid
} from "../Wire.ts"

Tier.oneIn(6)

const delegate = (member_id: string, id: string) => toolCall("delegate_task_to_member", { member_id, task: "go" }, id)

const post = (server: TestServer.TestServer, path: string, fields: Readonly<Record<string, string>>) =>
  ask(server, path, { method: "POST", body: new URLSearchParams({ session_id: "s", stream: "false", ...fields }) })

const start = (server: TestServer.TestServer, fields: Readonly<Record<string, string>> = {}) =>
  post(server, "/teams/desk/runs", { message: "go", run_id: "r", user_id: "ann", ...fields })

/** Asks the reader and then the writer. */
const asking = [[delegate("reader", "a")], [delegate("writer", "b")], [text("Done.")]]

const member = Effect.fnUntraced(function*(id: string, turns: ReadonlyArray<Script.Turn>) {
  const { model } = yield* Script.make(turns)
  return Agent.make({ id, model })
})

const started = Effect.gen(function*() {
  const members = [yield* member("reader", [[text("I read.")]]), yield* member("writer", [[text("I wrote.")]])]
  const leader = yield* Script.make(asking)
  const desk = Team.make({ id: "desk", model: leader.model, members })
  const server = yield* serve({ teams: [desk, Team.make({ id: "office", model: leader.model, members })] })
  yield* start(server)
  return server
})

const path = "/teams/desk/runs/r"

describe("GET /teams/{id}/runs/{run_id}/checkpoints", () => {
  it.effect("the list has the places from which the run can be forked", () =>
    Effect.gen(function*() {
      const { json, status } = yield* get(yield* started, `${path}/checkpoints?session_id=s`)
      assert.strictEqual(status, 200)
      hasKeys(json, "run_id", "session_id", "checkpoints")
      const [end] = list(json, "checkpoints")
      assert.deepInclude(end, {
        checkpoint_id: "1",
        run_id: "r",
        session_id: "s",
        message_index: 7,
        continue_from: 7,
        status: "COMPLETED",
        reason: "end",
        message_role: "assistant",
        message_preview: "Done.",
        is_latest: true
      })
    }))

  it.effect("a checkpoint shows the run as it was at a message, without the members that were asked later", () =>
    Effect.gen(function*() {
      const server = yield* started
      const membersAt = Effect.fnUntraced(function*(index: number) {
        const { json, status } = yield* get(server, `${path}/checkpoints/${index}?session_id=s`)
        assert.strictEqual(status, 200)
        hasKeys(json, "checkpoint", "snapshot")
        assert.strictEqual(at(json, "snapshot", "team_id"), "desk")
        const responses = at(json, "snapshot", "member_responses")
        return [at(json, "checkpoint", "message_index"), responses === undefined ? [] : column(responses, "agent_id")]
      })
      assert.deepStrictEqual(yield* membersAt(3), [2, []])
      assert.deepStrictEqual(yield* membersAt(4), [4, ["reader"]])
      assert.deepStrictEqual(yield* membersAt(7), [7, ["reader", "writer"]])
    }))

  it.effect("an unknown place is refused, and a run of another session or team is not found", () =>
    Effect.gen(function*() {
      const server = yield* started
      for (const index of [-1, 8]) {
        const answer = yield* get(server, `${path}/checkpoints/${index}?session_id=s`)
        badRequest(answer, "message_index must be between 0 and 7")
      }
      invalid(yield* get(server, `${path}/checkpoints/two?session_id=s`), [["path", "message_index"], "int_parsing"])
      invalid(yield* get(server, `${path}/checkpoints`), [["query", "session_id"], "missing"])
      const { json } = yield* get(server, "/sessions/s/runs")
      const [reader] = column(json, "run_id")
      for (const suffix of ["", "/0"]) {
        notFound(yield* get(server, `${path}/checkpoints${suffix}?session_id=other`), "Run not found")
        notFound(yield* get(server, `/teams/office/runs/r/checkpoints${suffix}?session_id=s`), "Run not found")
        notFound(yield* get(server, `/teams/unknown/runs/r/checkpoints${suffix}?session_id=s`), "Team not found")
        const ofMember = `/teams/desk/runs/${String(reader)}/checkpoints${suffix}?session_id=s`
        notFound(yield* get(server, ofMember), "Run not found")
      }
    }))
})

describe("a team with checkpoints after each batch of tool results", () => {
  it.effect("a checkpoint shows the leader's conversation of an executing run, and stays when the run has ended", () =>
    Effect.gen(function*() {
      const [atWork, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const leader = yield* Script.make(asking)
      const slow: Script.Turn = [
        Script.wait(Deferred.succeed(atWork, undefined)),
        Script.wait(gate),
        text("I wrote.")
      ]
      const members = [yield* member("reader", [[text("I read.")]]), yield* member("writer", [slow])]
      const desk = Team.make({ id: "desk", model: leader.model, members, checkpoint: "tool-batch" })
      const server = yield* serve({ teams: [desk] })
      const running = yield* Effect.forkChild(start(server))
      yield* Deferred.await(atWork)
      const { json } = yield* get(server, `${path}?session_id=s`)
      assert.strictEqual(at(json, "status"), "RUNNING")
      // the writer has been asked and has not answered
      assert.deepStrictEqual(column(at(json, "messages"), "role"), ["system", "user", "assistant", "tool"])
      assert.deepStrictEqual(column(at(json, "messages"), "content").at(-1), "I read.")
      const during = yield* get(server, `${path}/checkpoints?session_id=s`)
      assert.deepStrictEqual(column(at(during.json, "checkpoints"), "message_index"), [4])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(running)
      const ended = yield* get(server, `${path}/checkpoints?session_id=s`)
      const places = list(ended.json, "checkpoints").map((each) => [at(each, "message_index"), at(each, "status")])
      assert.deepStrictEqual(places, [[4, "RUNNING"], [6, "RUNNING"], [7, "COMPLETED"]])
    }))
})

const fork = (server: TestServer.TestServer, path: string) => ask(server, `/teams/${path}/fork`, { method: "POST" })

describe("POST /teams/{id}/sessions/{session_id}/fork", () => {
  it.effect("a fork copies the session with the runs of the team and of its members, under matching ids", () =>
    Effect.gen(function*() {
      const server = yield* started
      const { json, status } = yield* fork(server, "desk/sessions/s")
      assert.strictEqual(status, 200)
      hasKeys(json, "session_id", "forked_from_session_id")
      assert.strictEqual(at(json, "forked_from_session_id"), "s")
      const id = String(at(json, "session_id"))
      assert.match(id, uuid)
      const before = (yield* get(server, "/sessions/s/runs")).json
      const after = (yield* get(server, `/sessions/${id}/runs`)).json
      assert.deepStrictEqual(column(after, "content"), column(before, "content"))
      assert.deepStrictEqual(column(after, "forked_from_session_id"), ["s", "s", "s"])
      const [reader, writer, desk] = column(after, "run_id")
      assert.notIncludeMembers(column(before, "run_id") as Array<unknown>, [reader, writer, desk])
      assert.deepStrictEqual(column(after, "parent_run_id"), [desk, desk, ""])
      const run = yield* get(server, `/teams/desk/runs/${String(desk)}?session_id=${id}`)
      const responses = list(run.json, "member_responses")
      assert.deepStrictEqual(column(responses, "run_id"), [reader, writer])
      assert.deepStrictEqual(column(responses, "parent_run_id"), [desk, desk])
      assert.deepStrictEqual(column(responses, "session_id"), [id, id])
      assert.deepStrictEqual(column(at(run.json, "tools"), "child_run_id"), [reader, writer])
      const session = yield* get(server, `/sessions/${id}`)
      assert.deepStrictEqual([at(session.json, "team_id"), at(session.json, "user_id")], ["desk", "ann"])
    }))

  it.effect("a fork copies the events, each with its run", () =>
    Effect.gen(function*() {
      const members = [yield* member("reader", [[text("I read.")]])]
      const leader = yield* Script.make([[delegate("reader", "a")], [text("Done.")]])
      const server = yield* serve({ teams: [Team.make({ id: "desk", model: leader.model, members })] })
      const streamed = frames((yield* start(server, { stream: "true" })).text)
      const id = String(at((yield* fork(server, "desk/sessions/s")).json, "session_id"))
      const [reader, desk] = column((yield* get(server, `/sessions/${id}/runs`)).json, "run_id")
      const { text: copied } = yield* get(server, `/teams/desk/runs/${String(desk)}/events?session_id=${id}`)
      const events = frames(copied)
      assert.deepStrictEqual(events.map(({ kind }) => kind), streamed.map(({ kind }) => kind))
      for (const { data } of events) {
        const isMembers = "agent_id" in data
        assert.deepStrictEqual([data["run_id"], data["parent_run_id"], data["session_id"]], [
          isMembers ? reader : desk,
          isMembers ? desk : undefined,
          id
        ])
      }
      assert.deepStrictEqual(column(at(events.at(-1)?.data, "member_responses"), "run_id"), [reader])
    }))

  it.effect("a copy of a team that waits for a person can be continued, as its source can", () =>
    Effect.gen(function*() {
      const paid: Array<unknown> = []
      const pay = Tool.make({
        name: "pay",
        parameters: Schema.Struct({ amount: Schema.Int }),
        requiresConfirmation: true,
        execute: ({ amount }) => (paid.push(amount), "paid")
      })
      const payer = yield* Script.make([
        [toolCall("pay", { amount: 5 }, "p")],
        [text("I paid.")],
        [text("I paid again.")]
      ])
      const inner = yield* Script.make([[delegate("payer", "b")], [text("They paid.")], [text("They paid again.")]])
      const leader = yield* Script.make([[delegate("office", "a")], [text("Paid.")], [text("Paid again.")]])
      const agent = Agent.make({ id: "payer", model: payer.model, tools: [pay] })
      const office = Team.make({ id: "office", model: inner.model, members: [agent] })
      const server = yield* serve({ teams: [Team.make({ id: "desk", model: leader.model, members: [office] })] })
      yield* start(server)
      const copy = String(at((yield* fork(server, "desk/sessions/s")).json, "session_id"))
      const idsOf = (session: string) =>
        Effect.map(get(server, `/sessions/${session}/runs`), ({ json }) => column(json, "run_id"))
      for (const session of [copy, "s"]) {
        const ids = yield* idsOf(session)
        const run = `/teams/desk/runs/${String(ids[2])}`
        const { json: paused } = yield* get(server, `${run}?session_id=${session}`)
        const [requirement] = list(paused, "requirements")
        assert.strictEqual(at(requirement, "member_run_id"), ids[0])
        const requirements = JSON.stringify([{ id: at(requirement, "id"), confirmation: true }])
        const { json } = yield* post(server, `${run}/continue`, { session_id: session, requirements })
        assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
        assert.strictEqual(at(json, "run_id"), ids[2])
        assert.deepStrictEqual(yield* idsOf(session), ids, "no member was asked anew")
      }
      assert.deepStrictEqual(paid, [5, 5])
      for (const script of [payer, inner, leader]) assert.strictEqual(yield* script.remaining, 0)
    }))

  it.effect("a session that is empty, of another user or team, or unknown is not copied", () =>
    Effect.gen(function*() {
      const server = yield* started
      yield* send(server, "POST", "/sessions?type=team", { session_id: "empty", team_id: "desk" })
      badRequest(yield* fork(server, "desk/sessions/empty"), "Source session has no runs to fork.")
      notFound(yield* fork(server, "desk/sessions/none"), "Session with id 'none' not found")
      notFound(yield* fork(server, "office/sessions/s"), "Session with id 's' not found")
      const forkFor = (user: string) => ask(server, `/teams/desk/sessions/s/fork?user_id=${user}`, { method: "POST" })
      notFound(yield* forkFor("bob"), "Session with id 's' not found")
      assert.strictEqual((yield* forkFor("ann")).status, 200)
      notFound(yield* fork(server, "unknown/sessions/s"), "Team not found")
    }))
})
