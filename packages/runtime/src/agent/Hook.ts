// Checks and side effects around a run. A hook that throws `CheckFailed` rejects the input or the answer with a reason
// for the caller. Any other error also fails the run, and is only logged.
import type * as Json from "@svc/domain/Json"
import type * as Run from "@svc/domain/Run"
import { Effect, Schema } from "effect"
import type { RunContext } from "../tool/RunContext.ts"
import * as UserCode from "../usercode/UserCode.ts"

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
  /** Undefined before the answer. */
  readonly content: Json.Value | undefined
  readonly context: RunContext
}

export interface Hook {
  readonly name: string
  readonly run: (input: HookInput) => UserCode.Returned<void>
}

export class HookBroken extends Schema.TaggedError<HookBroken>()("HookBroken", {
  hook: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `The hook '${this.hook}' failed`
  }
}

export const call = (hook: Hook, input: HookInput): Effect.Effect<void, CheckFailed | HookBroken> =>
  Effect.mapError(
    UserCode.call(() => hook.run(input)),
    ({ cause }) => cause instanceof CheckFailed ? cause : new HookBroken({ hook: hook.name, cause })
  )
