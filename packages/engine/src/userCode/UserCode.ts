// Runs what the author of an agent wrote: a plain function, an async one, or one that gives an Effect. It may throw,
// reject, die or interrupt itself; to the caller all of that is one failure, with what was thrown. Only an interruption
// of the caller stays an interruption, and aborts the signal that the function was given.
// @effect-diagnostics anyUnknownInErrorContext:off -- an author may throw anything; here it becomes `Thrown`
import * as Spans from "@svc-runtime/telemetry/Spans"
import { Cause, Data, Effect, type Exit, Predicate } from "effect"

export type Returned<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>

export class UserError extends Data.TaggedError("Thrown")<{ readonly cause: unknown }> {}

/**
 * How `self` ended. An interruption that happens inside of it is one of its ends; an interruption of the fiber that
 * runs it interrupts that fiber.
 */
export const exitOf = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.uninterruptibleMask((restore) => Effect.exit(restore(self)))

const asEffect = <A>(returned: Returned<A>): Effect.Effect<A, unknown> => {
  if (Effect.isEffect(returned)) return returned as Effect.Effect<A, unknown>
  return Predicate.isPromiseLike(returned)
    ? Effect.tryPromise({ try: () => returned as PromiseLike<A>, catch: (cause) => new UserError({ cause }) })
    : Effect.succeed(returned as A)
}

/** An object can throw where it is read, and what reads it would fail instead of the code. */
const readable = (cause: unknown): unknown => {
  try {
    if (Predicate.isObject(cause)) void [cause instanceof Error, cause["_tag"], cause["message"], cause["stack"]]
    return cause
  } catch {
    return new Error("What was thrown cannot be read")
  }
}

/** The cause, of which each defect can be read. */
export const readableCause = <E>(cause: Cause.Cause<E>): Cause.Cause<E> =>
  Cause.fromReasons(cause.reasons.map((reason) => {
    const defect = Cause.isDieReason(reason) ? readable(reason.defect) : undefined
    return Cause.isDieReason(reason) && defect !== reason.defect ? Cause.makeDieReason(defect) : reason
  }))

const toThrown = (squashed: unknown) => {
  const cause = readable(squashed)
  return cause instanceof UserError ? cause : new UserError({ cause })
}

export const call = <A>(f: (signal: AbortSignal) => Returned<A>): Effect.Effect<A, UserError> =>
  Effect.suspend(() => {
    const controller = new AbortController()
    const running = Spans.authored(Effect.suspend(() => asEffect(f(controller.signal))))
    return Effect.flatMap(
      exitOf(Effect.onInterrupt(running, () => Effect.sync(() => controller.abort()))),
      (exit) => exit._tag === "Success" ? Effect.succeed(exit.value) : Effect.fail(toThrown(Cause.squash(exit.cause)))
    )
  })

/** Of several attempts, as Node has them of the addresses of a host. */
const messagesIn = (cause: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(cause, "errors") && Array.isArray(cause.errors)
    ? cause.errors.slice(0, 3).flatMap((each) =>
      Predicate.hasProperty(each, "message") && Predicate.isString(each.message) ? [each.message] : []
    )
    : []

/** The error of an author, as text for callers who may read it. */
export const messageOf = ({ cause }: UserError, otherwise: string): string => {
  const message = Predicate.hasProperty(cause, "message") ? cause.message : cause
  if (Predicate.isString(message) && message !== "") return message
  const attempts = messagesIn(cause)
  if (attempts.length > 0) return attempts.join("; ")
  return Predicate.isError(cause) ? cause.name : otherwise
}

/**
 * Once, where the caller gets the message only. Logs what was thrown as a cause, of which a line has the stack and no
 * fields: those of a provider's error have the whole request.
 */
export const logThrown = (message: string, error: unknown, about: Readonly<Record<string, unknown>> = {}) =>
  Effect.annotateLogs(Effect.logWarning(message, Cause.die(error instanceof UserError ? error.cause : error)), about)
