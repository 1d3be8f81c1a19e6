// Memories that are changed before a run ends: by tools of the model, and by inline updates.
import { assert, describe, it } from "@effect/vitest"
import { Agent, Team } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { at, run, runWhole } from "../Wire.ts"
import { answer, changes, fields, withMemory } from "./MemoryAgent.ts"
import { ann, bob, open } from "./MemoryFixtures.ts"

describe("a run that changes memories before it ends", () => {
  it.live("an inline update happens before the run ends, with a pair of events", () =>
    Effect.gen(function*() {
      const service = yield* withMemory([answer], [changes({ action: "create", memory: "Fact" })], {
        update: "inline"
      })
      const { text } = yield* run(service.server, "agent", fields)
      const kinds = [...text.matchAll(/^event: (.*)$/gm)].map(([, kind]) => kind)
      assert.deepStrictEqual(kinds.slice(-4), [
        "RunContentCompleted",
        "MemoryUpdateStarted",
        "MemoryUpdateCompleted",
        "RunCompleted"
      ])
      assert.match(text, /"memories":\[\{"memory_id":"[^"]+","memory":"Fact"/)
      assert.deepStrictEqual(yield* service.memoriesOf(ann), ["Fact"])
      assert.strictEqual((yield* service.jobs).total, 0)
    }))

  it.live("a run whose memories cannot be updated inline completes", () =>
    Effect.gen(function*() {
      const service = yield* withMemory([answer], [[Script.text("nonsense")]], { update: "inline" })
      const { json } = yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.deepStrictEqual(yield* service.memoriesOf(ann), [])
    }))

  it.live("the tools of a model store, find, change and remove memories of the caller only", () =>
    Effect.gen(function*() {
      const service = yield* withMemory(
        [
          [
            Script.toolCall("remember", { memory: "Ann likes tea" }, "1"),
            Script.toolCall("forget", { memory_id: "of-bob" }, "2"),
            Script.toolCall("update_memory", { memory_id: "of-bob", memory: "changed" }, "3"),
            Script.toolCall("update_memory", { memory_id: "of-ann", memory: "Ann lives in Rome" }, "4")
          ],
          [Script.toolCall("recall", { query: "tea" }, "5")],
          answer
        ],
        [],
        { update: "off", tools: true }
      )
      yield* service.add(bob, "Bob likes tea")
      yield* service.add(ann, "Ann lives in Paris")
      const { json } = yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
      assert.deepStrictEqual(yield* service.memoriesOf(bob), ["Bob likes tea"])
      assert.sameMembers([...yield* service.memoriesOf(ann)], ["Ann likes tea", "Ann lives in Rome"])
      const results = (at(json, "tools") as ReadonlyArray<{ readonly result: string }>).map(({ result }) => result)
      assert.include(results[2], "no memory with the id of-bob")
      assert.include(results[4], "Ann likes tea")
      assert.notInclude(results[4], "Bob")
    }))

  it.live("members with inline updates do not read the run of their team", () =>
    Effect.gen(function*() {
      const [talking, reading] = [yield* Script.make([answer]), yield* Script.make([])]
      const leading = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "member", task: "Answer" })],
        answer
      ])
      const memory = { update: "inline", model: reading.model } as const
      const member = Agent.make({ id: "member", model: talking.model, memory })
      const { server } = yield* open({
        teams: [Team.make({ id: "team", model: leading.model, members: [member] })]
      })
      const body = new URLSearchParams({ ...fields, stream: "false" })
      assert.strictEqual((yield* server.fetch("/teams/team/runs", { method: "POST", body })).status, 200)
      assert.strictEqual((yield* talking.calls).length, 1)
      assert.deepStrictEqual(yield* reading.calls, [])
    }))
})
