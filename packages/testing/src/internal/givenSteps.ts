// Checks what the functions for steps of a script are given. What is wrong there would be seen late, as an answer that
// no model gives.
import { mismatch } from "@svc-runtime/engine/userCode/Mistake"
import { Predicate } from "effect"

export const texts = (name: string, chunks: ReadonlyArray<unknown>, todo?: string): void => {
  const odd = chunks.findIndex((chunk) => !Predicate.isString(chunk))
  if (odd !== -1) throw mismatch(`What ${name}() is given`, "texts", chunks[odd], todo)
}

export const text = (what: string, given: unknown, todo: string): void => {
  if (!Predicate.isString(given)) throw mismatch(what, "a text", given, todo)
}

export const number = (what: string, given: unknown): void => {
  if (!Predicate.isNumber(given)) throw mismatch(what, "a number", given)
}

export const object = (what: string, given: unknown, todo: string): void => {
  if (!Predicate.isObject(given)) throw mismatch(what, "an object", given, todo)
}
