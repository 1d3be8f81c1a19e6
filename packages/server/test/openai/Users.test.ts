// Whose runs a request reaches on an open service: those of its `user`, and runs without a user. It is the rule of
// sessions, whichever way a request names a run.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import type { ResponseInputItem } from "openai/resources/responses/responses"
import { mail } from "../a2a/Mail.ts"
import { toolUser } from "../wire/Fixtures.ts"
import { call, failure, hi, parameters, serving } from "./OpenAiClient.ts"

Tier.oneIn(3)

const show = { type: "function", function: { name: "show", description: "Shows a page.", parameters } } as const
const shown = { type: "function", name: "show", parameters, strict: false } as const

const others = [{ user: "bob" }, {}]

const runOf = (call_id: string): readonly [run: string, session: string] =>
  JSON.parse(Buffer.from(call_id.slice("call_".length), "base64url").toString())

const runsIn = (url: string, session: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/sessions/${session}/runs`)
    return (await response.json()) as ReadonlyArray<{ readonly run_id: string; readonly status: string }>
  })

describe("POST /v1/chat/completions", () => {
  const asking = Effect.fnUntraced(function*(name: string, args: object) {
    const script = yield* Script.make([
      [Script.toolCall(name, args, "c1")],
      ...Array.from({ length: 5 }, () => [Script.text("I continue.")])
    ])
    const { client, url } = yield* serving(Agent.make({ id: "a", model: script.model, tools: [mail] }))
    const ask = (
      messages: ReadonlyArray<Parameters<typeof client.chat.completions.create>[0]["messages"][number]>,
      more: { readonly user?: string }
    ) =>
      call(() => client.chat.completions.create({ model: "a", messages: [...hi, ...messages], tools: [show], ...more }))
    return { ask, script, url }
  })

  it.live.each(others)(
    "a run that waits for results is continued by requests of its user, and not by those of %j",
    (who) =>
      Effect.gen(function*() {
        const { ask, url } = yield* asking("show", { page: "start" })
        const { message } = (yield* ask([], { user: "alice" })).choices[0]!
        const { id } = message.tool_calls![0]!
        const [run, session] = runOf(id)
        const results = [message, { role: "tool", tool_call_id: id, content: "seen" } as const]
        const other = yield* ask(results, who)
        assert.notStrictEqual(other.id, run)
        assert.deepStrictEqual((yield* runsIn(url, session)).map(({ status }) => status), ["PAUSED"])
        yield* ask(results, { user: "alice" })
        assert.deepStrictEqual((yield* runsIn(url, session)).map(({ status }) => status), ["COMPLETED"])
      })
  )

  it.live.each(others)(
    "a model reads nothing of what a run of another user has done, in a request of %j",
    (who) =>
      Effect.gen(function*() {
        const { ask, script } = yield* asking("send_mail", { to: "ann" })
        const { message } = (yield* ask([], { user: "alice" })).choices[0]!
        const decided = [message, { role: "tool", tool_call_id: message.tool_calls![0]!.id, content: "yes" } as const]
        const answer = (yield* ask(decided, { user: "alice" })).choices[0]!.message
        const next = [...decided, answer, { role: "user", content: "and now?" } as const]
        yield* ask(next, { user: "alice" })
        assert.include(JSON.stringify((yield* script.prompts).at(-1)), "sent to ann")
        yield* ask(next, who)
        assert.notInclude(JSON.stringify((yield* script.prompts).at(-1)), "sent to ann")
      })
  )
})

describe("POST /v1/responses", () => {
  const waiting = Effect.gen(function*() {
    const { model } = yield* toolUser(Script.toolCall("show", { page: "start" }, "c1"))
    const { client, url } = yield* serving(Agent.make({ id: "a", model }))
    const create = (input: string | Array<ResponseInputItem>, more: object) =>
      client.responses.create({ model: "a", input, tools: [shown], ...more })
    const response = yield* call(() => create("hi", { user: "alice" }))
    const called = response.output.find((item) => item.type === "function_call")!
    const output = { type: "function_call_output", call_id: called.call_id, output: "seen" } as const
    return { called, create, output, response, url }
  })

  it.live.each(others)(
    "no result, message or item reaches a run of another user, in requests of %j",
    (who) =>
      Effect.gen(function*() {
        const { called, create, output, response, url } = yield* waiting
        const behind = { previous_response_id: response.id, ...who }
        for (const input of [[output], "and now?"]) {
          const { code, status } = yield* failure(() => create(input, behind))
          assert.deepStrictEqual([status, code], [404, "previous_response_not_found"])
        }
        const named = [{ type: "item_reference", id: called.id! } as const, output]
        assert.strictEqual((yield* failure(() => create(named, who))).code, "item_not_found")
        const { call_id, name } = called
        const whole = [{ role: "user", content: "hi" } as const, { ...called }, output]
        const other = yield* call(() => create(whole, who))
        const [run, session] = runOf(call_id)
        assert.strictEqual(name, "show")
        assert.notInclude(other.id, run)
        assert.deepStrictEqual((yield* runsIn(url, session)).map(({ status }) => status), ["PAUSED"])
      })
  )

  it.live("a run without a user is continued by a request with a user", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("show", { page: "start" }, "c1"))
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const first = yield* call(() => client.responses.create({ model: "a", input: "hi", tools: [shown] }))
      const { call_id } = first.output.find((item) => item.type === "function_call")!
      const next = yield* call(() =>
        client.responses.create({
          model: "a",
          previous_response_id: first.id,
          input: [{ type: "function_call_output", call_id, output: "seen" }],
          user: "bob"
        })
      )
      assert.strictEqual(next.status, "completed")
    }))
})
