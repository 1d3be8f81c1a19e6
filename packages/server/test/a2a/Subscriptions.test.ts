// What a subscriber of a task reads, byte for byte.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Deferred, Effect, Fiber } from "effect"
import { at } from "../Wire.ts"
import { toolUser } from "../wire/Fixtures.ts"
import { mail } from "./Mail.ts"

const headers = { "content-type": "application/json", "a2a-version": "1.0" }

const sent = (url: string, path: string, body?: object) =>
  Effect.promise(() =>
    fetch(`${url}/a2a/agents/careful${path}`, { method: "POST", headers, body: JSON.stringify(body ?? {}) })
  )

const message = (text: string, more: object = {}) => ({
  message: { messageId: `m-${text}`, role: "ROLE_USER", parts: [{ text }], ...more }
})

const json = (response: Response) => Effect.promise(() => response.json() as Promise<unknown>)

/** Tells when the first frame is there, and has all frames when the stream is closed. */
const read = Effect.fnUntraced(function*(response: Response) {
  const begun = yield* Deferred.make<void>()
  const reading = yield* Effect.forkChild(Effect.promise(async () => {
    let text = ""
    const decoder = new TextDecoder()
    for await (const bytes of response.body!) {
      text += decoder.decode(bytes as Uint8Array, { stream: true })
      if (text.includes("\n\n")) Deferred.doneUnsafe(begun, Effect.void)
    }
    return text
  }))
  yield* Deferred.await(begun)
  // @effect-diagnostics-next-line returnEffectInGen:off because the rest is read later
  return Effect.map(
    Fiber.join(reading),
    (text) =>
      text.split("\n\n").filter((frame) => frame.startsWith("data: ")).map((frame) =>
        JSON.parse(frame.slice(6)) as unknown
      )
  )
})

const stateOf = (frame: unknown) =>
  at(frame, "task", "status", "state") ?? at(frame, "statusUpdate", "status", "state") ??
    at(frame, "artifactUpdate", "artifact", "parts", 0, "text")

const careful = Effect.gen(function*() {
  const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
  return Agent.make({ id: "careful", name: "Careful", model: script.model, tools: [mail] })
})

describe("a subscription to a task that asks", () => {
  it.live("every subscriber gets what follows an answer, in the same order, until the task ends", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [yield* careful] })
      const paused = at(yield* Effect.flatMap(sent(url, "/message:send", message("mail ann")), json), "task")
      assert.strictEqual(at(paused, "status", "state"), "TASK_STATE_INPUT_REQUIRED")
      const taskId = String(at(paused, "id"))
      const both = yield* Effect.forEach([1, 2], () => Effect.flatMap(sent(url, `/tasks/${taskId}:subscribe`), read))
      const answered = yield* Effect.flatMap(sent(url, "/message:send", message("yes", { taskId })), json)
      assert.strictEqual(at(answered, "task", "status", "state"), "TASK_STATE_COMPLETED")
      const [one, two] = yield* Effect.all(both)
      assert.deepStrictEqual(one, two)
      const states = one!.map(stateOf)
      assert.strictEqual(states[0], "TASK_STATE_INPUT_REQUIRED")
      assert.strictEqual(states[1], "TASK_STATE_WORKING")
      assert.include(states.join(), "Tea is")
      assert.strictEqual(states.at(-1), "TASK_STATE_COMPLETED")
    }))

  it.live("the stream ends when the task is cancelled", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [yield* careful] })
      const paused = yield* Effect.flatMap(sent(url, "/message:send", message("mail ann")), json)
      const taskId = String(at(paused, "task", "id"))
      const frames = yield* Effect.flatMap(sent(url, `/tasks/${taskId}:subscribe`), read)
      yield* sent(url, `/tasks/${taskId}:cancel`)
      assert.deepStrictEqual((yield* frames).map(stateOf), ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_CANCELED"])
    }))
})
