// What prevents the start of a service, in one line.
import { Mistake, placeOf } from "@svc-runtime/engine/userCode/Mistake"
import * as Redaction from "@svc-runtime/telemetry/Redaction"
import { Cause, Predicate } from "effect"

interface ListenFailure {
  readonly code: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

const isListenFailure = (cause: unknown): cause is ListenFailure & Error =>
  Predicate.hasProperty(cause, "code") && Predicate.hasProperty(cause, "syscall") &&
  ["listen", "getaddrinfo"].includes(String(cause.syscall))

/** Why the service cannot listen, and what to set. */
const ofListening = (failure: ListenFailure & Error): string => {
  const { address, code, hostname, message, port } = failure
  switch (code) {
    case "EADDRINUSE":
      return `Something else listens on ${address}:${port}. Stop it, or set PORT to a free one.`
    case "EADDRNOTAVAIL":
      return `HOST=${address} is no address of this machine. Set HOST to one, such as 127.0.0.1 or 0.0.0.0.`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `HOST=${hostname} cannot be resolved (${code}). Set HOST to an address of this machine, such as 127.0.0.1.`
    case "EACCES":
      return `PORT=${port} needs rights that the process does not have. Set PORT to one above 1023, such as 7777.`
    default:
      return `The service cannot listen: ${message}. Check HOST and PORT.`
  }
}

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

/** What an author has written wrong, and where. */
export const textOfMistake = (mistake: Mistake): string => {
  const place = placeOf(mistake, process.cwd())
  return place === undefined ? mistake.message : `${mistake.message} (${place})`
}

/** The code under which `docs/errors` and `svc explain` describe it. */
export const codeOf = <E>(cause: Cause.Cause<E>): string | undefined => {
  const error = Cause.squash(cause)
  if (!Predicate.isError(error)) return undefined
  if (isListenFailure(error.cause)) return error.cause.code
  return "_tag" in error && Predicate.isString(error._tag) ? error._tag : error.name
}

export const textOf = <E>(cause: Cause.Cause<E>): string => {
  const squashed = Cause.squash(cause)
  if (squashed instanceof Mistake) return textOfMistake(squashed)
  const found = Cause.findErrorOption(cause)
  if (found._tag === "None" || !Predicate.isError(found.value)) return Cause.pretty(cause)
  const error: Error = found.value
  if (isListenFailure(error.cause)) return ofListening(error.cause)
  // an error without a message says nothing of itself
  const reason = isOfDatabase(error) || error.message === "" ? reasonOf(error) || error.name : ""
  if (error.message === "") return Redaction.redact(reason)
  return error.message.includes(reason) ? error.message : `${error.message}: ${Redaction.redact(reason)}`
}
