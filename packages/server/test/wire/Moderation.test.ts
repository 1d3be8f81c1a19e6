// The moderation endpoint over real HTTP: what it flags, and what its failures do to a run.
import { assert, describe, it } from "@effect/vitest"
import * as Guardrail from "@svc-runtime/agents/guardrail/Guardrail"
import * as Agent from "@svc-runtime/features/Agent"
import * as RequestCounts from "@svc-runtime/test-support/RequestCounts"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect } from "effect"
import { at, runWhole, serve } from "../Wire.ts"

Tier.oneIn(2)

const flagging = (categories: Readonly<Record<string, boolean>>) => JSON.stringify({ results: [{ categories }] })

const moderated = Effect.fnUntraced(function*(
  { body, status = 200 }: { readonly body: string; readonly status?: number },
  options: Partial<Guardrail.ModerationOptions> = {}
) {
  const provider = yield* OpenAiChat.answering(({ path }) =>
    path === "/v1/moderations"
      ? { _tag: "Raw", status, contentType: "application/json", body }
      : Reply.text("Fine")
  )
  const guardrail = Guardrail.moderation({ apiKey: "moderation-key", url: `${provider.url}/moderations`, ...options })
  const agent = Agent.make({ id: "a", model: "openai-compatible:small", hooks: [guardrail] })
  const server = yield* serve({ agents: [agent], openaiBaseUrl: provider.url })
  const { json, text } = yield* runWhole(server, "a", { message: "I hurt you" })
  const requests = (yield* provider.requests).filter(({ path }) => path === "/v1/moderations")
  return { status: at(json, "status"), content: at(json, "content"), text, requests }
})

describe("moderation", () => {
  it.effect("the endpoint gets the texts with the key, and a run without flags is completed", () =>
    Effect.gen(function*() {
      const { requests, status } = yield* moderated({ body: flagging({ violence: false }) })
      assert.strictEqual(status, "COMPLETED")
      assert.deepStrictEqual(requests.map(({ body }) => body["input"]), ["I hurt you", "Fine"])
      assert.strictEqual(requests[0]?.headers.authorization, "Bearer moderation-key")
      assert.strictEqual(requests[0]?.body["model"], "omni-moderation-latest")
    }))

  it.effect("a flagged input is rejected, unless its category does not count", () =>
    Effect.gen(function*() {
      const body = flagging({ violence: true, hate: false })
      assert.deepInclude(yield* moderated({ body }), { status: "ERROR", content: "The text is not allowed here" })
      assert.deepInclude(yield* moderated({ body }, { categories: ["hate"] }), { status: "COMPLETED" })
      assert.deepInclude(yield* moderated({ body }, { action: "note" }), { status: "COMPLETED" })
    }))

  it.effect("an endpoint that fails or answers something else ends the run, without the key in the answer", () =>
    Effect.gen(function*() {
      const answers = [
        { status: 500, body: "{}" },
        { status: 401, body: `{"error":"moderation-key"}` },
        { body: "not JSON" },
        { body: `{"results":[]}` },
        { body: `{"results":[{"categories":[]}]}` }
      ]
      for (const answer of answers) {
        const { content, status, text } = yield* moderated(answer)
        assert.deepStrictEqual([status, content], ["ERROR", "The hook 'moderation' failed"], answer.body)
        assert.notInclude(text, "moderation-key")
      }
    }))

  it.live("a request counts in the metrics, as an error if the endpoint fails or does not answer in time", () =>
    Effect.gen(function*() {
      const provider = yield* OpenAiChat.answering(({ body, path }) =>
        path !== "/v1/moderations" || body["model"] === "fine"
          ? Reply.raw(flagging({}))
          : body["model"] === "slow"
          ? Reply.answer({ text: ["Fine", "Fine"] }, 60_000)
          : Reply.raw("not JSON")
      )
      const { counting, counts } = RequestCounts.make()
      for (const model of ["fine", "broken", "slow"]) {
        const { beforeRun } = Guardrail.moderation({
          apiKey: "moderation-key",
          url: `${provider.url}/moderations`,
          model,
          timeout: "1 second"
        })
        const given = { input: { input_content: "Hi" } }
        yield* Effect.exit(counting(beforeRun?.(given as never) as Effect.Effect<unknown>))
      }
      assert.deepStrictEqual(counts(), { "fine ok": 1, "broken error": 1, "slow error": 1 })
    }))
})
