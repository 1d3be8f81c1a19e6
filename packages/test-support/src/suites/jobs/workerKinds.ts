// Kinds of jobs for tests of workers.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Deferred, Effect, Schema } from "effect"
import { newId } from "../Samples.ts"

export const Payload = Schema.Struct({ n: Schema.Int })

type Options = Omit<JobKind.Options<typeof Payload.Type, unknown>, "name" | "payload">

export const kindOf = (options: Options): JobKind.JobKind<typeof Payload.Type> =>
  JobKind.make({ name: newId("kind"), payload: Payload, retryDelay: "10 millis", ...options })

export const hanging = Effect.andThen(Effect.never, Effect.void)

/** A kind whose handler ends only when it is interrupted. */
export const interruptible = Effect.gen(function*() {
  const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const kind = kindOf({
    handle: () =>
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(hanging),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
  })
  return { begun, interrupted, kind }
})
