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

const toThrown = (squashed: unknown) => squashed instanceof UserError ? squashed : new UserError({ cause: squashed })

export const call = <A>(f: (signal: AbortSignal) => Returned<A>): Effect.Effect<A, UserError> =>
  Effect.suspend(() => {
    const controller = new AbortController()
    const running = Spans.authored(Effect.suspend(() => asEffect(f(controller.signal))))
    return Effect.flatMap(
      exitOf(Effect.onInterrupt(running, () => Effect.sync(() => controller.abort()))),
      (exit) => exit._tag === "Success" ? Effect.succeed(exit.value) : Effect.fail(toThrown(Cause.squash(exit.cause)))
    )
  })

/** The error of an author, as text for callers who may read it. */
export const messageOf = ({ cause }: UserError, otherwise: string): string => {
  const message = Predicate.hasProperty(cause, "message") ? cause.message : cause
  if (Predicate.isString(message) && message !== "") return message
  return Predicate.isError(cause) ? cause.name : otherwise
}

/**
 * Once, where the caller gets the message only. Logs what was thrown as a cause, of which a line has the stack and no
 * fields: those of a provider's error have the whole request.
 */
export const logThrown = (message: string, error: unknown, about: Readonly<Record<string, unknown>> = {}) =>
  Effect.annotateLogs(Effect.logWarning(message, Cause.die(error instanceof UserError ? error.cause : error)), about)
