// The text of a source that is a text file.
import * as TextDecoding from "@svc-runtime/domain/TextDecoding"
import { Effect } from "effect"
import { Unreadable } from "../Unreadable.ts"
import type { Input } from "./Input.ts"
import { signatureOf } from "./signatures.ts"

/** No NUL, which databases do not store, no half characters, and line feeds only. */
export const clean = (text: string): string => text.replaceAll("\0", "").replace(/\r\n?/g, "\n").toWellFormed()

const isControl = (unit: number) => unit < 32 && unit !== 9 && unit !== 10 && unit !== 12 && unit !== 13 && unit !== 27

/** Programs, pictures and archives have many control characters; texts have next to none. */
const isBinary = (text: string): boolean => {
  const length = Math.min(text.length, 65_536)
  let controls = 0
  for (let index = 0; index < length; index++) if (isControl(text.charCodeAt(index))) controls += 1
  return controls > 8 && controls > length / 20
}

/** The text of a source. Fails when the source is a file of another kind. */
export const decode = (
  { content, type }: Pick<Input, "content" | "type">,
  options: { readonly isMarkup?: boolean } = {}
): Effect.Effect<string, Unreadable> => {
  if (typeof content === "string") return Effect.succeed(clean(content))
  const signature = signatureOf(content)
  if (signature !== undefined) {
    return Effect.fail(
      new Unreadable({
        reason: "mismatch",
        message: signature.format === "image"
          ? `The content is ${signature.title}. Pictures have no text: run text recognition over them first`
          : `The content is ${signature.title}, not text. Its name or its type should say so`
      })
    )
  }
  const text = TextDecoding.ofBytes(content, type, options.isMarkup ?? false)
  return isBinary(text)
    ? Effect.fail(new Unreadable({ reason: "mismatch", message: "The content is binary data, not text" }))
    : Effect.succeed(clean(text))
}
