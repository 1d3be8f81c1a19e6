// What the rules of all wires are written with: a refusal is a sentence, as a provider gives it with its 400.
import { Data, Predicate } from "effect"

export type Fields = Readonly<Record<string, unknown>>

export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

export const refuse = (message: string): never => {
  throw new Refused({ message })
}

/** Refuses unless it holds. */
export function must(holds: boolean, sentence: string): asserts holds {
  if (!holds) refuse(sentence)
}

export const isFields = (value: unknown): value is Fields => Predicate.isObject(value) && !Array.isArray(value)

export const fieldsOf = (value: unknown, path: string): Fields =>
  isFields(value) ? value : refuse(`${path} must be an object`)

export const listOf = (value: unknown, path: string): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : refuse(`${path} must be a list`)

export const textOf = (value: unknown, path: string): string =>
  typeof value === "string" ? value : refuse(`${path} must be a string`)

/** A text with something in it. */
export const wordsOf = (value: unknown, path: string): string => {
  const text = textOf(value, path)
  must(text.trim() !== "", `${path} must not be empty`)
  return text
}

export const matching = (value: unknown, pattern: RegExp, path: string): string => {
  const text = textOf(value, path)
  must(pattern.test(text), `${path} is ${JSON.stringify(text)}, which does not match ${pattern.source}`)
  return text
}

export const unique = (values: ReadonlyArray<string>, what: string): void => {
  for (const [index, value] of values.entries()) {
    must(values.indexOf(value) === index, `${what} must be unique, but ${JSON.stringify(value)} is there twice`)
  }
}

/** The text of arguments: providers parse it. */
export const argumentsOf = (value: unknown, path: string): void => {
  const text = textOf(value, path)
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    refuse(`${path} is no JSON`)
  }
  must(isFields(parsed), `${path} must be the JSON of an object`)
}
