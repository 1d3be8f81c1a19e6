// What the codes of errors mean. `scripts/errors.ts` of the repository writes the data, from the sources.
import explanations from "./explanations.json" with { type: "json" }

export interface Explained {
  readonly code: string
  /** Where the code occurs: a response, a failed run, a start, or another protocol. */
  readonly kind: string
  readonly cause: string
  readonly todo: string
  /** A path in docs. */
  readonly page: string
  /** Sentences with this code. `…` is what they insert. */
  readonly messages: ReadonlyArray<string>
}

export const all: ReadonlyArray<Explained> = explanations

/** How many characters of the text the message determines. 0: it is another message. */
const fit = (message: string, text: string): number => {
  const parts = message.toLowerCase().split("…").map((part) => part.trim()).filter((part) => part !== "")
  let from = 0
  for (const part of parts) {
    const at = text.indexOf(part, from)
    if (at === -1) return 0
    from = at + part.length
  }
  return parts.join("").length
}

/** The ones with this code, else the one whose message fits best, else the ones with messages that contain the text. */
export const find = (given: string): ReadonlyArray<Explained> => {
  const wanted = given.trim()
  const exact = all.filter(({ code }) => code === wanted)
  if (exact.length > 0) return exact
  const text = wanted.toLowerCase()
  const named = all.filter(({ code }) => code.toLowerCase() === text)
  if (named.length > 0) return named
  const fits = all.map((each) => ({ each, length: Math.max(0, ...each.messages.map((message) => fit(message, text))) }))
  const best = Math.max(...fits.map(({ length }) => length))
  if (best >= 10) return fits.filter(({ length }) => length === best).map(({ each }) => each)
  return text.length < 8
    ? []
    : all.filter(({ messages }) => messages.some((message) => message.toLowerCase().includes(text)))
}
