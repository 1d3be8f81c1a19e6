// Runs that have not ended when their message is edited: no one sees what they do or ask any more.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { mail } from "../a2a/Mail.ts"
import { ask, at, column, get, list, post, serve } from "../Wire.ts"

Tier.oneIn(3)

const user = (id: string, text: string) => ({ id, role: "user", parts: [{ type: "text", text }] })

/** A message with `slow` waits for the gate, and then each with `mail` asks for a confirmation. */
const opened = Effect.gen(function*() {
  const begun = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  const turn = ({ prompt }: Script.Call) => {
    const text = JSON.stringify(prompt.content.at(-1))
    return [
      ...(text.includes("slow") ? [Script.wait(Deferred.succeed(begun, undefined)), Script.wait(gate)] : []),
      text.includes("mail") ? Script.toolCall("send_mail", { to: "ann" }, "call_1") : Script.text("Answered.")
    ]
  }
  const { model, prompts } = yield* Script.make(Array.from({ length: 9 }, () => turn))
  const agent = Agent.make({ id: "a", model, tools: [mail], addHistoryToContext: true })
  const server = yield* serve({ agents: [agent] })
  const send = (messages: ReadonlyArray<object>, more: object = {}) =>
    Effect.map(
      post(server, "/agents/a/chat", { id: "c", messages, ...more }),
      ({ text }) => ({ text, id: /"messageId":"([^"]+)"/.exec(text)?.[1] })
    )
  const statuses = Effect.map(get(server, "/sessions/c/runs"), ({ json }) => column(json, "status"))
  const approvals = Effect.map(get(server, "/runs?status=PAUSED"), ({ json }) => list(json, "data"))
  return { approvals, begun, gate, prompts, send, server, statuses }
})

describe("a chat whose message is edited before its run has ended", () => {
  it.effect("a run that is executed is cancelled, and never waits for a person", () =>
    Effect.gen(function*() {
      const { approvals, begun, gate, send, statuses } = yield* opened
      const first = yield* Effect.forkChild(send([user("m1", "slow mail")]))
      yield* Deferred.await(begun)
      const edited = yield* send([user("m1", "hi")], { messageId: "m1" })
      assert.include(edited.text, "Answered.")
      yield* Deferred.succeed(gate, undefined)
      assert.include((yield* Fiber.join(first)).text, "\"abort\"")
      assert.deepStrictEqual(yield* statuses, ["CANCELLED", "COMPLETED"])
      assert.deepStrictEqual(yield* approvals, [])
    }))

  it.effect("a run that is queued is cancelled, and the one before it ends", () =>
    Effect.gen(function*() {
      const { approvals, begun, gate, send, server, statuses } = yield* opened
      const first = yield* Effect.forkChild(send([user("m1", "slow")]))
      yield* Deferred.await(begun)
      const queued = (count: number) =>
        Effect.repeat(Effect.andThen(Effect.yieldNow, get(server, "/runs?status=PENDING")), {
          until: ({ json }) => list(json, "data").length >= count
        })
      const second = yield* Effect.forkChild(send([user("m1", "slow"), user("m2", "mail")]))
      yield* queued(1)
      const edited = yield* Effect.forkChild(send([user("m1", "slow"), user("m2", "hi")], { messageId: "m2" }))
      assert.include((yield* Fiber.join(second)).text, "\"abort\"")
      yield* Deferred.succeed(gate, undefined)
      assert.include((yield* Fiber.join(first)).text, "Answered.")
      assert.include((yield* Fiber.join(edited)).text, "Answered.")
      assert.deepStrictEqual(yield* statuses, ["COMPLETED", "CANCELLED", "COMPLETED"])
      assert.deepStrictEqual(yield* approvals, [])
    }))

  it.effect("an answer that is made again without the id of its message ends the run that is executed", () =>
    Effect.gen(function*() {
      const { begun, gate, send, statuses } = yield* opened
      const first = yield* Effect.forkChild(send([user("m1", "slow")]))
      yield* Deferred.await(begun)
      const again = yield* Effect.forkChild(send([user("m1", "slow")], { trigger: "regenerate-message" }))
      assert.include((yield* Fiber.join(first)).text, "\"abort\"")
      yield* Deferred.succeed(gate, undefined)
      assert.include((yield* Fiber.join(again)).text, "Answered.")
      assert.deepStrictEqual(yield* statuses, ["CANCELLED", "COMPLETED"])
    }))
})

describe("a chat whose client goes back to another branch", () => {
  for (const more of [{}, { messageId: "m3" }]) {
    it.effect(`what waits behind the fork of both branches waits no more: ${JSON.stringify(more)}`, () =>
      Effect.gen(function*() {
        const { approvals, send, statuses } = yield* opened
        const shown = (id: string | undefined) => ({ id, role: "assistant", parts: [{ type: "text", text: "" }] })
        const one = user("m1", "mail")
        const first = yield* send([one])
        const two = yield* send([one, shown(first.id), user("m2", "hi")])
        yield* send([one, shown(first.id), user("m2", "other mail")], { messageId: "m2" })
        assert.lengthOf(yield* approvals, 2)
        yield* send([one, shown(first.id), user("m2", "hi"), shown(two.id), user("m3", "hi")], more)
        assert.deepStrictEqual(yield* statuses, ["PAUSED", "COMPLETED", "CANCELLED", "COMPLETED"])
      }))
  }
})

describe("a client of AG-UI that edits a message", () => {
  it.effect("the run of the message waits no more", () =>
    Effect.gen(function*() {
      const { send, server, statuses } = yield* opened
      const first = yield* send([user("m1", "hi")])
      const run = (runId: string, content: string) =>
        post(server, "/agents/a/agui", {
          threadId: "c",
          runId,
          state: {},
          messages: [
            { id: "m1", role: "user", content: "hi" },
            { id: `${first.id}-0-1`, role: "assistant", content: "Answered." },
            { id: "m2", role: "user", content }
          ],
          tools: [],
          context: [],
          forwardedProps: {}
        })
      yield* run("r1", "mail")
      assert.include((yield* run("r2", "hi")).text, "Answered.")
      assert.deepStrictEqual(yield* statuses, ["COMPLETED", "CANCELLED", "COMPLETED"])
    }))
})

describe("an edit that is sent more than once", () => {
  it.effect("the same edit makes one run, also at once", () =>
    Effect.gen(function*() {
      const { approvals, send } = yield* opened
      yield* send([user("m1", "hi")])
      const edit = send([user("m1", "mail")], { messageId: "m1" })
      const edits = yield* Effect.all([edit, edit, edit], { concurrency: "unbounded" })
      const again = yield* edit
      assert.deepStrictEqual(new Set([...edits, again].map(({ id }) => id)).size, 1)
      assert.deepStrictEqual((yield* approvals).map((run) => at(run, "run_id")), [again.id])
    }))

  it.effect("an edit back to an earlier content is another run", () =>
    Effect.gen(function*() {
      const { prompts, send, server } = yield* opened
      const ids: Array<string | undefined> = []
      yield* send([user("m1", "one")])
      for (const text of ["two", "three", "two", "two"]) {
        ids.push((yield* send([user("m1", text)], { messageId: "m1" })).id)
      }
      assert.lengthOf(new Set(ids), 3)
      assert.strictEqual(ids[2], ids[3])
      assert.lengthOf(yield* prompts, 4)
      const { json } = yield* ask(server, "/sessions/c/runs")
      assert.deepStrictEqual(column(json, "is_on_path"), [false, false, false, true])
    }))
})
