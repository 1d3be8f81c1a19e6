// The bytes of a text in UTF-8.
import { Schema } from "effect"

const encoder = new TextEncoder()

/** A character has three bytes at most. */
const maxOf = (text: string): number => text.length * 3

/** Short texts, such as the words of models, are measured without a copy of each. */
const space = new Uint8Array(3 * 1024)

/** A character that is half of a pair counts as its replacement. */
export const of = (text: string): number =>
  maxOf(text) <= space.length ? encoder.encodeInto(text, space).written : encoder.encode(text).length

/** The check of a text with at most this many bytes. */
export const isMax = (limit: number) =>
  Schema.makeFilter<string>((text) => maxOf(text) <= limit || of(text) <= limit, {
    message: `Input should have at most ${limit} bytes`,
    problem: "string_too_long",
    toJsonSchema: () => ({ maxLength: limit })
  })
