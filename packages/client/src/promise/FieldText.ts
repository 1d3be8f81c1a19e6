// Reads the text that a person enters for a field that a paused run waits for.
import type { Json, StepInputField } from "./generated/types.ts"

/** A field of a step, or of a tool call, which does not say whether it is required. */
export interface RequestedField extends Pick<StepInputField, "field_type" | "allowed_values"> {
  readonly required?: boolean | undefined
}

/** The value, or why the field does not accept the text. */
export type FieldValue =
  | { readonly value: Json; readonly problem?: undefined }
  | { readonly problem: string; readonly value?: undefined }

const words: ReadonlyMap<string, boolean> = new Map([["true", true], ["false", false]])

const numberIn = (word: string, isWhole: boolean): number | undefined => {
  const number = Number(word)
  return word !== "" && (isWhole ? Number.isSafeInteger(number) : Number.isFinite(number)) ? number : undefined
}

const jsonIn = (word: string, isExpected: (value: Json) => boolean): Json | undefined => {
  try {
    const value = JSON.parse(word) as Json
    return isExpected(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: Json): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

const types: Readonly<Record<string, { readonly name: string; readonly read: (word: string) => Json | undefined }>> = {
  list: { name: "a list in JSON, such as [\"a\", \"b\"]", read: (word) => jsonIn(word, Array.isArray) },
  dict: { name: "an object in JSON, such as {\"name\": \"a\"}", read: (word) => jsonIn(word, isObject) },
  int: { name: "a whole number", read: (word) => numberIn(word, true) },
  float: { name: "a number", read: (word) => numberIn(word, false) },
  bool: { name: "true or false", read: (word) => words.get(word) }
}

/** Reads the text of a field. An empty text is no value, null, if the field is not required. */
export const readField = (
  { allowed_values: allowed, field_type, required = true }: RequestedField,
  text: string
): FieldValue => {
  if (text === "" && !required) return { value: null }
  const type = types[field_type]
  const value = type === undefined ? text : type.read(text.trim())
  if (value === undefined) return { problem: `Expected ${type?.name ?? "a value"}` }
  if (allowed === undefined) return { value }
  // the values of a choice can have several types
  const chosen = allowed.find((each) => each === value) ?? allowed.find((each) => String(each) === text.trim())
  return chosen === undefined
    ? { problem: `Expected one of ${allowed.map(String).join(", ")}` }
    : { value: chosen }
}
