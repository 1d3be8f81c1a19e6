// Says which unknown fields of a form are probably misspelt. They are ignored, as clients of the contract expect, and a
// typing error would otherwise have no effect that anyone sees.
import * as Misspelling from "@svc/domain/Misspelling"
import { Context, Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"

/** Of one request. */
const most = 10

/** Characters that a header may have inside of quotes. */
const unsafe = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g

const sentencesOf = (given: Readonly<Record<string, string>>, known: ReadonlySet<string>): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue
    const meant = Misspelling.meant(name, known)
    if (meant !== undefined) {
      sentences.push(`The field '${name.replaceAll(unsafe, "?")}' is unknown. Is '${meant}' meant?`)
    }
    if (sentences.length === most) break
  }
  return sentences
}

/** In the log, and in the header `Warning` of the answer. */
export const warn = (given: Readonly<Record<string, string>>, known: ReadonlySet<string>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const sentences = sentencesOf(given, known)
    if (sentences.length === 0) return Effect.void
    if (Context.getOrUndefined(fiber.context, HttpServerRequest.HttpServerRequest) !== undefined) {
      const warning = sentences.map((sentence) => `299 - "${sentence}"`).join(", ")
      HttpEffect.appendPreResponseHandlerUnsafe(
        fiber.context,
        (_, response) => Effect.succeed(HttpServerResponse.setHeader(response, "warning", warning))
      )
    }
    return Effect.logWarning(sentences.join(" "))
  })
