// Checks and side effects around a run. A hook that throws `CheckFailed` refuses the input or the answer for a stated
// reason; anything else that it throws fails the run as well, without showing the caller why.
import type { Json, Run } from "@svc/domain"
import { Effect, Predicate, Schema } from "effect"
import type { RunContext } from "./RunContext.ts"

/** The reasons that clients know. */
export const Reason = Schema.Literals([
  "off_topic",
  "input_not_allowed",
  "output_not_allowed",
  "validation_failed",
  "prompt_injection",
  "pii_detected"
])
export type Reason = typeof Reason.Type

export class CheckFailed extends Schema.TaggedError<CheckFailed>()("CheckFailed", {
  reason: Reason,
  message: Schema.String
}) {}

export interface HookInput {
  readonly input: Run.Input
  /** Undefined before the model has answered. */
  readonly content: Json.Value | undefined
  readonly context: RunContext
}

type Result = void | Promise<void> | Effect.Effect<void, unknown>

export interface Hook {
  readonly name: string
  readonly run: (input: HookInput) => Result
}

export class HookBroken extends Schema.TaggedError<HookBroken>()("HookBroken", {
  name: Schema.String,
  cause: Schema.Defect()
}) {}

const isCheckFailed = (cause: unknown): cause is CheckFailed =>
  Predicate.hasProperty(cause, "_tag") && cause._tag === "CheckFailed"

export const call = (hook: Hook, input: HookInput): Effect.Effect<void, CheckFailed | HookBroken> => {
  const failed = (cause: unknown) => isCheckFailed(cause) ? cause : new HookBroken({ name: hook.name, cause })
  return Effect.tryPromise({ try: () => Promise.resolve(hook.run(input)), catch: failed }).pipe(
    Effect.flatMap((result) => Effect.isEffect(result) ? Effect.mapError(result, failed) : Effect.void)
  )
}
