// Well-known examples of other frameworks, with scripted models.
import { assert, describe, it } from "@effect/vitest"
import { accountReview, analyst } from "@svc-runtime/examples/ports/accountReview"
import { letters } from "@svc-runtime/examples/ports/complexWorkflow"
import { supervisor } from "@svc-runtime/examples/ports/supervisor"
import { ScriptedModel } from "@svc-runtime/test-support"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const serving = Effect.fnUntraced(function*(options: TestServer.Options) {
  const server = yield* TestServer.make(options)
  return (path: string, fields: Readonly<Record<string, string>>) =>
    server.fetch(path, {
      method: "POST",
      body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
    }).pipe(Effect.flatMap((response) => Effect.promise(() => response.json() as Promise<Json>)))
})

const decided = (paused: Json, decision: object) =>
  JSON.stringify([{ ...paused["step_requirements"].at(-1), ...decision }])

describe("ports", () => {
  it.effect("the complex workflow goes through all of its containers, and waits for a person", () =>
    Effect.gen(function*() {
      const post = yield* serving({ workflows: [letters] })
      const paused = yield* post("/workflows/letters/runs", { message: JSON.stringify({ text: "x" }), run_id: "r" })
      assert.deepStrictEqual([paused["status"], paused["paused_step_name"]], ["PAUSED", "ask"])
      const step_requirements = decided(paused, { user_input: { ending: "!" } })
      const done = yield* post("/workflows/letters/runs/r/continue", { step_requirements })
      assert.deepStrictEqual([done["status"], done["content"]], ["COMPLETED", { result: "XABXACBCDD!" }])
    }))

  it.effect("the account review is written again with what the person misses, and no person is needed without a risk", () =>
    Effect.gen(function*() {
      const turns = ["Late.", "Late by three bills."].map((text) => [ScriptedModel.text(text)])
      const { model } = yield* ScriptedModel.make(turns)
      const post = yield* serving({ agents: [{ ...analyst, model }], workflows: [accountReview] })
      const first = yield* post("/workflows/account-review/runs", { message: "acme", run_id: "r" })
      assert.strictEqual(first["step_requirements"][0].step_output, "Late.")
      const rejected = decided(first, { confirmed: false, rejection_feedback: "How many bills?" })
      const second = yield* post("/workflows/account-review/runs/r/continue", { step_requirements: rejected })
      const accepted = decided(second, { confirmed: true })
      const done = yield* post("/workflows/account-review/runs/r/continue", { step_requirements: accepted })
      assert.deepStrictEqual([done["status"], done["content"]], ["COMPLETED", "Late by three bills."])
      const other = yield* post("/workflows/account-review/runs", { message: "other" })
      assert.strictEqual(other["content"], "There is nothing to review.")
    }))

  it.effect("the supervisor gives the tasks to its members", () =>
    Effect.gen(function*() {
      const delegate = (member_id: string) =>
        ScriptedModel.toolCall("delegate_task_to_member", { member_id, task: "Population" })
      const { model } = yield* ScriptedModel.make([
        [delegate("researcher")],
        [ScriptedModel.toolCall("search", { query: "New York" })],
        [ScriptedModel.text("8.5 million")],
        [delegate("mathematician")],
        [ScriptedModel.toolCall("add", { left: 8.5, right: 1 })],
        [ScriptedModel.text("9.5")],
        [ScriptedModel.text("9.5 million")]
      ])
      const members = new Map([...supervisor.members].map(([id, member]) => [id, { ...member, model }]))
      const post = yield* serving({ teams: [{ ...supervisor, members, leader: { ...supervisor.leader, model } }] })
      const done = yield* post("/teams/supervisor/runs", { message: "How many in New York, and one million more?" })
      assert.deepStrictEqual([done["status"], done["content"]], ["COMPLETED", "9.5 million"])
    }))

  it("the ports are as short as what they say, with imports, comments and empty lines", () => {
    const folder = join(import.meta.dirname, "..", "src", "ports")
    const lines = readdirSync(folder).toSorted().map((file) =>
      readFileSync(join(folder, file), "utf8").trimEnd().split("\n").length
    )
    assert.deepStrictEqual(lines.map((count, index) => count <= [20, 45, 18][index]!), [true, true, true], lines.join())
  })
})
