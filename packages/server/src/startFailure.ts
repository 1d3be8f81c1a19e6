// What prevents the start of a service, in one line.
import * as Redaction from "@svc/telemetry/Redaction"
import { Cause, Predicate } from "effect"

const isTaken = (error: unknown): error is { readonly cause: { readonly address: string; readonly port: number } } =>
  Predicate.hasProperty(error, "cause") && Predicate.hasProperty(error.cause, "code") &&
  error.cause.code === "EADDRINUSE"

/** These errors only say that something failed, and their causes say what. */
const ofDatabases = ["MigrationError", "SqlError", "StorageUnavailable"]

const isOfDatabase = (error: Error) =>
  Predicate.hasProperty(error, "_tag") && ofDatabases.some((tag) => error._tag === tag)

/** The message of the innermost error, or its code: an error of several addresses has no message. */
const reasonOf = (error: unknown, depth = 0): string => {
  if (depth < 10 && Predicate.hasProperty(error, "cause") && Predicate.isError(error.cause)) {
    return reasonOf(error.cause, depth + 1)
  }
  if (!Predicate.isError(error)) return ""
  return error.message === "" && "code" in error ? String(error.code) : error.message
}

export const textOf = <E>(cause: Cause.Cause<E>): string => {
  const found = Cause.findErrorOption(cause)
  if (found._tag === "None" || !Predicate.isError(found.value)) return Cause.pretty(cause)
  const error: Error = found.value
  if (isTaken(error)) {
    const { address, port } = error.cause
    return `Something else listens on ${address}:${port}. Stop it, or set PORT to a free one.`
  }
  const reason = isOfDatabase(error) ? reasonOf(error) : ""
  return error.message.includes(reason) ? error.message : `${error.message}: ${Redaction.redact(reason)}`
}
