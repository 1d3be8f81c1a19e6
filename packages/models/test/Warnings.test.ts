import { assert, describe, it } from "@effect/vitest"
import * as OpenAiResponses from "@svc-runtime/test-support/wire/OpenAiResponses"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect, Logger, Redacted } from "effect"
import { ModelCatalog } from "../src/ModelCatalog.ts"
import * as RequestOptions from "../src/RequestOptions.ts"
import { streamed } from "./Asking.ts"

describe("a setting that a model does not support", () => {
  it.effect("the setting is left out of the request, and logged once", () =>
    Effect.gen(function*() {
      const server = yield* OpenAiResponses.make
      yield* server.script(Reply.text("Hello"), Reply.text("Hello"))
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(JSON.stringify(message)))
      const asking = Effect.gen(function*() {
        const catalog = yield* ModelCatalog
        const model = yield* catalog.resolve("openai:gpt-5")
        yield* streamed(model)
        yield* streamed(model)
      })
      yield* asking.pipe(
        (asking) => RequestOptions.provide(asking, { settings: { temperature: 0.5 } }),
        Effect.provide([
          ModelCatalog.layer({ openaiApiKey: Redacted.make("sk-warnings-0123456789"), openaiBaseUrl: server.url }),
          Logger.layer([logger])
        ])
      )
      const [request] = yield* server.requests
      assert.isUndefined(request?.body.temperature)
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "temperature is not supported")
    }))
})
