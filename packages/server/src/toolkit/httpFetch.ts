// A tool that reads texts from the web.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Data, Effect, Option, Schema } from "effect"
import { expected } from "./expected.ts"
import { ToolFetch } from "./ToolFetch.ts"
import { check, type ToolOptions } from "./ToolOptions.ts"

const Parameters = Schema.Struct({
  url: Schema.String.annotate({ description: "An address that begins with http:// or https://" })
})

class FetchToolFailed extends Data.TaggedError("FetchToolFailed")<{ readonly message: string }> {}

const isText = (type: string): boolean =>
  /^text\/|^application\/(?:.*\+)?(?:json|xml|javascript|yaml)$|^application\/x-ndjson$/.test(type)

const typeOf = (header = "text/plain"): string => header.replace(/;.*/s, "").trim().toLowerCase()

const decoder = new TextDecoder()

export interface Options extends ToolOptions {
  /** Larger responses are refused. Default: one MiB. */
  readonly maxBytes?: number | undefined
}

/** Sends GET requests, and follows redirects. Private networks are refused unless the operator allows them. */
export const httpFetch = (given: Options = {}): Tool.Tool => {
  check("Toolkit.httpFetch", given, { maxBytes: "any" })
  const { maxBytes = 1024 * 1024, ...options } = given
  Validate.wholeNumber("The tool of HTTP requests", "maxBytes", 1, maxBytes)
  return Tool.make({
    name: "http_fetch",
    description: "Reads a text, such as a page or JSON, from an address on the web.",
    timeout: "30 seconds",
    ...options,
    parameters: Parameters,
    effects: "read",
    execute: Effect.fnUntraced(function*({ url }) {
      const fetching = Option.getOrUndefined(yield* Effect.serviceOption(ToolFetch))
      if (fetching === undefined) return yield* new FetchToolFailed({ message: "There is no service that fetches" })
      const response = yield* fetching.fetch({ url, maxBytes })
      const content_type = typeOf(response.headers["content-type"])
      if (!isText(content_type)) {
        return yield* new FetchToolFailed({ message: `The response is no text, but ${content_type.slice(0, 100)}` })
      }
      return { status: response.status, url: response.url, content_type, body: decoder.decode(response.body) }
    }, expected)
  })
}
