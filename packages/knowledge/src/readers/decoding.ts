// Bytes to text: a byte order mark, the declared charset, UTF-8, a charset that the bytes speak for, else windows-1252,
// which decodes every file.
import { Effect, Result } from "effect"
import { Unreadable } from "../Unreadable.ts"
import type { Input } from "./Input.ts"
import { legacyCharsetOf } from "./legacyCharset.ts"
import { signatureOf } from "./signatures.ts"

const marks: ReadonlyArray<readonly [encoding: string, ...mark: ReadonlyArray<number>]> = [
  ["utf-8", 0xef, 0xbb, 0xbf],
  ["utf-16le", 0xff, 0xfe],
  ["utf-16be", 0xfe, 0xff]
]

const markOf = (bytes: Uint8Array) =>
  marks.find(([, ...mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0]

const charsetParameter = /;\s*charset\s*=\s*"?([^\s;"]+)/i
const charsetInMarkup = /<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w-]+)/i

/** Decodes bytes, if the charset is known and the bytes are valid in it. */
const decodeAs = (bytes: Uint8Array, charset: string | undefined, fatal: boolean): string | undefined =>
  charset === undefined
    ? undefined
    : Result.getOrUndefined(Result.try(() => new TextDecoder(charset, { fatal }).decode(bytes)))

/** Half of the bytes of western text in UTF-16 are zero. */
const utf16Of = (bytes: Uint8Array): string | undefined => {
  const length = Math.min(bytes.length, 4096) & ~1
  let [even, odd] = [0, 0]
  for (let index = 0; index < length; index += 2) {
    if (bytes[index] === 0) even += 1
    if (bytes[index + 1] === 0) odd += 1
  }
  if (length < 4) return undefined
  return odd > 0.35 * length && even === 0 ? "utf-16le" : even > 0.35 * length && odd === 0 ? "utf-16be" : undefined
}

const latin = (bytes: Uint8Array, length: number) => new TextDecoder("windows-1252").decode(bytes.subarray(0, length))

const decodeBytes = (bytes: Uint8Array, type: string | undefined, isMarkup: boolean): string => {
  const declared = charsetParameter.exec(type ?? "")?.[1] ??
    (isMarkup ? charsetInMarkup.exec(latin(bytes, 2048))?.[1] : undefined)
  const mark = markOf(bytes)
  return decodeAs(bytes, mark, false) ??
    decodeAs(bytes, utf16Of(bytes), true) ??
    decodeAs(bytes, declared, true) ??
    decodeAs(bytes, "utf-8", true) ??
    decodeAs(bytes, legacyCharsetOf(bytes), true) ??
    latin(bytes, bytes.length)
}

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
  const text = decodeBytes(content, type, options.isMarkup ?? false)
  return isBinary(text)
    ? Effect.fail(new Unreadable({ reason: "mismatch", message: "The content is binary data, not text" }))
    : Effect.succeed(clean(text))
}
