// Bytes of a text file to text: a byte order mark, the declared charset, UTF-8 (also with a few other bytes), a charset
// that the bytes speak for, else windows-1252, which decodes every file. Files of runs and contents of knowledge are
// read by it.
import { Result } from "effect"
import { legacyCharsetOf } from "./legacyCharset.ts"

const marks: ReadonlyArray<readonly [encoding: string, ...mark: ReadonlyArray<number>]> = [
  ["utf-8", 0xef, 0xbb, 0xbf],
  ["utf-16le", 0xff, 0xfe],
  ["utf-16be", 0xfe, 0xff]
]

const markOf = (bytes: Uint8Array) =>
  marks.find(([, ...mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0]

const charsetParameter = /;\s*charset\s*=\s*"?([^\s;"]+)/i
const charsetInMarkup = /<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*(?:["']\s*)?([\w-]+)/i

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

const isMarkupType = (type: string): boolean => /^text\/(?:html|xml)\b/i.test(type)

const lost = [0xef, 0xbf, 0xbd] as const

/** The characters U+FFFD that the bytes have themselves, as of a text that was damaged before. */
const lostIn = (bytes: Uint8Array): number => {
  let count = 0
  for (let index = bytes.indexOf(lost[0]); index >= 0; index = bytes.indexOf(lost[0], index + 1)) {
    if (bytes[index + 1] === lost[1] && bytes[index + 2] === lost[2]) count += 1
  }
  return count
}

/** Letters of western languages, and what has three bytes or more: few other charsets have these bytes by chance. */
const isFamiliar = (unit: number): boolean => unit >= 0xc0 && unit <= 0xff || unit >= 0x800

/** UTF-8 that was cut in the middle of a character. */
const cutUtf8 = (bytes: Uint8Array): string | undefined => {
  const read = (fatal: boolean) => new TextDecoder("utf-8", { fatal })
  const text = Result.try(() => read(true).decode(bytes, { stream: true }))
  return Result.isSuccess(text) && /[^\0-\x7f]/.test(text.success) ? read(false).decode(bytes) : undefined
}

/**
 * UTF-8 with a few bytes that are not. Undefined without nearly all sequences of several bytes being valid, or half of
 * them in a short text of familiar ones: texts in other charsets have few that are.
 */
const mostlyUtf8 = (bytes: Uint8Array): string | undefined => {
  const text = new TextDecoder().decode(bytes)
  const kept = lostIn(bytes)
  let [valid, familiar, replaced] = [kept, kept, -kept]
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 0xfffd) replaced += 1
    else if (unit >= 0x80) {
      valid += 1
      if (isFamiliar(unit)) familiar += 1
    }
  }
  const isMost = valid >= 4 && 8 * replaced <= valid
  return isMost || familiar === valid && replaced <= valid ? text : undefined
}

/** `type`: the media type with its parameters. Markup can declare its charset itself. */
export const ofBytes = (bytes: Uint8Array, type = "", isMarkup = isMarkupType(type)): string => {
  const declared = charsetParameter.exec(type)?.[1] ??
    (isMarkup ? charsetInMarkup.exec(latin(bytes, 2048))?.[1] : undefined)
  const mark = markOf(bytes)
  return decodeAs(bytes, mark, false) ??
    decodeAs(bytes, utf16Of(bytes), true) ??
    decodeAs(bytes, declared, true) ??
    decodeAs(bytes, "utf-8", true) ??
    cutUtf8(bytes) ??
    mostlyUtf8(bytes) ??
    decodeAs(bytes, legacyCharsetOf(bytes), true) ??
    latin(bytes, bytes.length)
}
