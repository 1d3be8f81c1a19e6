// The example of a workflow, from its draft to its end, with what people say on the way.
import { assert, describe, it } from "@effect/vitest"
import { brief } from "@svc-runtime/examples/quickstart"
import { announcement, writer } from "@svc-runtime/examples/workflow"
import { ScriptedModel } from "@svc-runtime/test-support"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"

Tier.oneIn(2)

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const serve = Effect.gen(function*() {
  const { model } = yield* ScriptedModel.make([[ScriptedModel.text("Tea that makes itself.")]])
  const own = { ...writer, model }
  const steps = announcement.steps.map((step) =>
    step.type === "Step" && step.executor.type === "agent"
      ? { ...step, executor: { type: "agent" as const, agent: own } }
      : step
  )
  return yield* TestServer.make({ agents: [own], workflows: [{ ...announcement, steps }, brief] })
})

const post = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  path: string,
  fields: Readonly<Record<string, string>>
) {
  const body = new URLSearchParams({ stream: "false", session_id: "s", ...fields })
  const response = yield* server.fetch(path, { method: "POST", body })
  return yield* Effect.promise(() => response.json() as Promise<Json>)
})

const message = JSON.stringify({ product: "Teapot 3", audience: "customers" })
const start = (server: TestServer.TestServer) => post(server, "/workflows/announcement/runs", { message, run_id: "r" })

const say = (server: TestServer.TestServer, paused: Json, decision: object) => {
  const requirement = paused["step_requirements"].at(-1)
  const step_requirements = JSON.stringify([{ ...requirement, ...decision }])
  return post(server, "/workflows/announcement/runs/r/continue", { step_requirements })
}

describe("the announcement", () => {
  it.effect("the announcement is sent when its text and its sending are confirmed", () =>
    Effect.gen(function*() {
      const server = yield* serve
      const drafted = yield* start(server)
      assert.deepStrictEqual([drafted["status"], drafted["paused_step_name"]], ["PAUSED", "draft"])
      const text = "Tea that makes itself. Mention the lid."
      const again = yield* say(server, drafted, { confirmed: false, rejection_feedback: "Mention the lid." })
      assert.deepStrictEqual(again["step_requirements"].at(-1).step_output, { title: "Teapot 3 is here", text })
      const checked = yield* say(server, again, { confirmed: true })
      assert.deepStrictEqual([checked["status"], checked["paused_step_name"]], ["PAUSED", "send"])
      const done = yield* say(server, checked, { confirmed: true })
      assert.deepStrictEqual([done["status"], done["content"]], ["COMPLETED", `Sent: Teapot 3 is here. ${text}`])
    }))

  it.effect("the announcement is not sent when a person rejects it", () =>
    Effect.gen(function*() {
      const server = yield* serve
      const checked = yield* say(server, yield* start(server), { confirmed: true })
      const done = yield* say(server, checked, { confirmed: false })
      assert.deepStrictEqual([done["status"], done["content"]], [
        "CANCELLED",
        "Workflow cancelled: Step 'send' was rejected"
      ])
    }))

  it.effect("an announcement that is too long says so, with the text that a person has put in its place", () =>
    Effect.gen(function*() {
      const server = yield* serve
      const edited_output = { title: "T", text: "word ".repeat(300) }
      const done = yield* say(server, yield* start(server), { confirmed: true, edited_output })
      assert.deepStrictEqual([done["status"], done["content"]], ["COMPLETED", "Not sent: it is too long, or too loud."])
    }))
})

describe("the brief of the quickstart", () => {
  it.effect("the brief keeps a short text, and shortens a long one until it fits", () =>
    Effect.gen(function*() {
      const server = yield* serve
      const short = yield* post(server, "/workflows/brief/runs", { message: "tea" })
      assert.strictEqual(short["content"], "What is tea? Who needs tea?")
      const long = yield* post(server, "/workflows/brief/runs", { message: "tea ".repeat(40) })
      assert.isAtMost(long["content"].length, 120)
      const condition = long["step_results"].find((step: Json) => step["step_name"] === "long")
      assert.deepStrictEqual(condition["steps"].map((step: Json) => step["step_name"]), ["shorten"])
      assert.isAbove(condition["steps"][0].steps.length, 1)
    }))
})
