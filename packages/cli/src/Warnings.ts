// Shows on standard error what of a request the service has not used, such as a field that it does not know.
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import { Output } from "./terminal/Output.ts"

const warnings = /\b299 \S+ "([^"]*)"/g

/** Texts of which is known that they were shown. */
const maxTexts = 1000

export const shown = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Output, (output) => {
    const seen = new Set<string>()
    const show = (text: string) => {
      if (seen.has(text) || seen.size >= maxTexts) return Effect.void
      seen.add(text)
      return output.warn(text)
    }
    return Effect.updateService(
      program,
      HttpClient.HttpClient,
      HttpClient.tap(({ headers }) =>
        Effect.forEach((headers["warning"] ?? "").matchAll(warnings), ([, text = ""]) => show(text), { discard: true })
      )
    )
  })
