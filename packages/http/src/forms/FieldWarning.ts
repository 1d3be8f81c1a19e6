// Says what of a request has no effect: in the log, and in the header `Warning` of the response.
import { Context, Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"

/** The sentences have no quotes and no characters that a header cannot have. */
export const warn = (sentences: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (Context.getOrUndefined(fiber.context, HttpServerRequest.HttpServerRequest) !== undefined) {
      const warning = sentences.map((sentence) => `299 - "${sentence}"`)
      HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) => {
        const earlier = response.headers["warning"]
        const all = earlier === undefined ? warning : [earlier, ...warning]
        return Effect.succeed(HttpServerResponse.setHeader(response, "warning", all.join(", ")))
      })
    }
    return Effect.logWarning(sentences.join(" "))
  })
