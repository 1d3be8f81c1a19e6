// What the log has of an error of a provider that reads or ranks the texts of users.
import { assert, describe, it } from "@effect/vitest"
import * as LogFormat from "@svc-runtime/http/logging/LogFormat"
import { Effect, Logger } from "effect"
import * as Knowledge from "../Knowledge.ts"
import * as Ocr from "../Ocr.ts"
import * as Reranker from "../Reranker.ts"

/** As those of the AI SDK, which have the whole request. */
const thrown = () => Object.assign(new Error("too many requests"), { requestBodyValues: { text: "a private letter" } })

const scan: Ocr.Scan = { bytes: new Uint8Array(1), name: "a.png", type: "image/png", pages: undefined }

const found: Parameters<typeof Reranker.rerank>[2] = [{
  chunk: { id: "c1", name: null, text: "one", metadata: {}, index: 1, size: 3 },
  content: { content_id: Knowledge.ContentId.make("c"), metadata: null, name: null, origin: null },
  score: 1
}]

const requests = {
  "text recognition": Effect.ignore(Ocr.recognize(() => Promise.reject(thrown()), scan)),
  reranker: Effect.ignore(Reranker.rerank(() => Promise.reject(thrown()), "q", found, 1))
}

describe.each(Object.entries(requests))("a failed request of the %s", (_, request) => {
  it.live("each form of the log has the message of the error, and nothing of the request", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const loggers = [LogFormat.readable, LogFormat.json(undefined)].map((format) =>
        Logger.map(format, (line) => void lines.push(line))
      )
      yield* Effect.provide(request, Logger.layer(loggers))
      assert.lengthOf(lines, 2)
      for (const line of lines) {
        assert.include(line, "too many requests")
        assert.notInclude(line, "private")
      }
    }))
})
