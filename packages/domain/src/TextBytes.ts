// The bytes of a text in UTF-8.
import { Schema } from "effect"

const encoder = new TextEncoder()

/** A character that is half of a pair counts as its replacement. */
export const of = (text: string): number => encoder.encode(text).length

/** The check of a text with at most this many bytes. A character has three bytes at most. */
export const isMax = (limit: number) =>
  Schema.makeFilter<string>((text) => text.length * 3 <= limit || of(text) <= limit, {
    message: `Input should have at most ${limit} bytes`,
    problem: "string_too_long",
    toJsonSchema: () => ({ maxLength: limit })
  })
