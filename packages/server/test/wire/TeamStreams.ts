// Teams whose events are shown as short lines.
import { assert } from "@effect/vitest"
import type * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { ask, type Frame, frames, serve } from "../Wire.ts"

export const delegate = (member_id: string, id = "call_1") =>
  toolCall("delegate_task_to_member", { member_id, task: "read" }, id)

export const member = Effect.fnUntraced(
  function*(id: string, turns: ReadonlyArray<Script.Turn>, tools: ReadonlyArray<Tool.Tool> = []) {
    const { model } = yield* Script.make(turns)
    return Agent.make({ id, name: id.toUpperCase(), model, tools })
  }
)

export const teamOf = Effect.fnUntraced(function*(
  members: ReadonlyArray<Team.Member>,
  turns: ReadonlyArray<Script.Turn>,
  options: Partial<Team.Options> = {}
) {
  const { model } = yield* Script.make(turns)
  return Team.make({ id: "desk", name: "Desk", model, members, ...options })
})

type Fields = Readonly<Record<string, string>>

export const post = (server: TestServer.TestServer, path: string, fields: Fields) =>
  ask(server, `/teams/desk/runs${path}`, { method: "POST", body: new URLSearchParams({ session_id: "s", ...fields }) })

export const start = (server: TestServer.TestServer, fields: Fields = {}) =>
  post(server, "", { message: "go", run_id: "r", ...fields })

/** Who says an event, and which. */
export const eventLines = (all: ReadonlyArray<Frame>): ReadonlyArray<string> =>
  all.map(({ data, kind }) => `${String(data["agent_id"] ?? data["team_id"])} ${kind}`)

export const streamed = Effect.fnUntraced(function*(team: Team.Team, fields: Fields = {}) {
  const server = yield* serve({ teams: [team] })
  const answer = yield* start(server, fields)
  assert.strictEqual(answer.status, 200, answer.text)
  return { all: frames(answer.text), server }
})

export const modelRequest = (who: string) => [`${who} TeamModelRequestStarted`, `${who} TeamModelRequestCompleted`]

export const answered = (who: string) => [
  `${who} TeamModelRequestStarted`,
  `${who} TeamRunContent`,
  `${who} TeamModelRequestCompleted`,
  `${who} TeamRunContentCompleted`
]

export const answerOf = (who: string) => [
  `${who} ModelRequestStarted`,
  `${who} RunContent`,
  `${who} ModelRequestCompleted`,
  `${who} RunContentCompleted`
]

export const whole = (who: string) => [`${who} RunStarted`, ...answerOf(who), `${who} RunCompleted`]
export const base = [
  "created_at",
  "event",
  "team_id",
  "team_name",
  "run_id",
  "session_id",
  "nested_depth",
  "event_index"
]
