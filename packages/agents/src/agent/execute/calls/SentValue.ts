// What a client sends to a function that waits for it.
import * as Json from "@svc-runtime/domain/Json"
import { Option } from "effect"

/** Its name among the values of a person. */
export const field = "result"

/** Also one without an end: otherwise each quote in it would be looked at as a beginning. */
const textIn = /"(?:[^"\\]|\\[^]?)*"?/g
const numberIn = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** A number of JavaScript has 15 decimal digits for certain. */
const isKept = (number: string): boolean =>
  number.replace(/[eE].*/, "").replace(".", "").length <= 15 || String(Number(number)) === number

/** Whether its numbers stay what they are, such as a long id. */
const isExact = (text: string): boolean => (text.replaceAll(textIn, "").match(numberIn) ?? []).every(isKept)

/**
 * A client sends it as a text. It is what the text stands for, unless a text is wanted. Without a schema, a text with a
 * number that would change stays a text.
 */
export const of = (schema: Json.Object | undefined, sent: Json.Value): Json.Value => {
  if (typeof sent !== "string" || schema?.["type"] === "string") return sent
  return schema === undefined && !isExact(sent) ? sent : Option.getOrElse(Json.parseInput(sent), () => sent)
}
