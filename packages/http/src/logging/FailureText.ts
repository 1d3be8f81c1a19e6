// What a log line says of an error: its name, its tag, its message and its stack, and the same of its causes and of the
// errors in its list. Other fields may hold a request, its headers, a prompt or a key, and are left out.
import * as Redaction from "@svc-runtime/telemetry/Redaction"
import { Cause } from "effect"
import { isNativeError } from "node:util/types"

/** Of the whole text, in characters. */
const maxLength = 32_768

/** Of one message, and of one stack. */
const maxPart = 4096

/** Errors in one text. */
const maxErrors = 20

/** A getter may throw. */
const read = (value: object, key: string): unknown => {
  try {
    return Reflect.get(value, key)
  } catch {
    return undefined
  }
}

const textIn = (value: object, key: string): string => {
  const found = read(value, key)
  if (typeof found !== "string") return ""
  return found.length > maxPart ? `${found.slice(0, maxPart)}...` : found
}

const nameOf = (value: object): string => {
  const [name, tag] = [textIn(value, "name"), textIn(value, "_tag")]
  if (name === "" || tag === "" || name === tag) return name || tag || "Error"
  return `${name} (${tag})`
}

/** The lines of a stack below the message with which it begins: one can be long, and have many line breaks. */
const placesOf = (value: object): string => {
  const stack = read(value, "stack")
  if (typeof stack !== "string") return ""
  const message = read(value, "message")
  const start = stack.indexOf(": ") + 2
  const isFirst = typeof message === "string" && message !== "" && stack.startsWith(message, start)
  const below = isFirst ? stack.slice(start + message.length) : stack
  const first = below.search(/\n[^\S\n]+at /)
  return first === -1 ? "" : below.slice(first, first + maxPart)
}

const prettyOf = (error: Error): string => Cause.pretty(Cause.die(error))

/** `seen`: the errors of the same text. */
const plainOf = (value: unknown, seen = new Set<unknown>()): Error => {
  if (typeof value !== "object" || value === null) {
    const text = typeof value === "function" ? "a function" : String(value)
    return plainOf({ message: text }, seen)
  }
  seen.add(value)
  const isNew = (each: unknown) => each !== undefined && !seen.has(each) && seen.size < maxErrors
  const errors = read(value, "errors")
  const parts = Array.isArray(errors)
    ? errors.flatMap((each: unknown) => isNew(each) ? [prettyOf(plainOf(each, seen))] : [])
    : []
  const message = [textIn(value, "message"), ...parts.map((part) => `[error]: ${part}`)].join("\n  ")
  const cause = read(value, "cause")
  const error = new Error(message, isNew(cause) ? { cause: plainOf(cause, seen) } : {})
  error.name = nameOf(value)
  error.stack = `${error.name}: ${message}${placesOf(value)}`
  return error
}

/** Errors of authors and drivers can quote credentials. */
const bounded = (text: string): string => Redaction.redact(text, [], maxLength)

export const isFailure = (value: unknown): value is Error | Cause.Cause<unknown> =>
  value instanceof Error || isNativeError(value) || Cause.isCause(value)

export const of = (failure: Error | Cause.Cause<unknown>): string =>
  bounded(
    Cause.isCause(failure)
      ? Cause.pretty(Cause.fromReasons(failure.reasons.map((reason) =>
        reason._tag === "Interrupt"
          ? reason
          : Cause.makeDieReason(plainOf(reason._tag === "Die" ? reason.defect : reason.error)).annotate(
            Cause.reasonAnnotations(reason)
          )
      )))
      : prettyOf(plainOf(failure))
  )
