// The events of teams that wait.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { at, frames, hasKeys, list } from "../Wire.ts"
import {
  answered,
  answerOf,
  base,
  delegate,
  eventLines,
  member,
  modelRequest,
  post,
  streamed,
  teamOf
} from "./TeamStreams.ts"

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
        ...modelRequest("office"),
        "office TeamToolCallStarted",
        "payer RunStarted",
        "payer ModelRequestStarted",
        "payer ModelRequestCompleted",
        "payer RunContentCompleted",
        "payer RunPaused",
        "office TeamToolCallCompleted",
        "office TeamRunPaused",
        "desk TeamToolCallCompleted",
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
