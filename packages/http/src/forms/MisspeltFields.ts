// Says which unknown fields of a form are probably misspelt. They are ignored, as clients of the contract expect, and a
// typing error would otherwise have no effect that anyone sees.
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import { Effect } from "effect"
import * as FieldWarning from "./FieldWarning.ts"

/** Of one request. */
const maxSentences = 10

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
    if (sentences.length === maxSentences) break
  }
  return sentences
}

export const warn = (given: Readonly<Record<string, string>>, known: ReadonlySet<string>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const sentences = sentencesOf(given, known)
    return sentences.length === 0 ? Effect.void : FieldWarning.warn(sentences)
  })
