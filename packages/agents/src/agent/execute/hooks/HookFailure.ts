// Why hooks have ended a run, also in the journal.
import { ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import { Schema } from "effect"
import { HookBroken, Reason } from "../../define/Hook.ts"
import * as RunLimits from "../RunLimits.ts"

/** A hook has rejected what it was given. */
export class HookRejected extends Schema.TaggedError<HookRejected>()("HookRejected", {
  stage: Schema.String,
  reason: Reason,
  message: Schema.String
}) {}

export type HookFailure = HookBroken | HookRejected | RunLimits.RunLimitReached | ValueTooLarge

/** A failure in the journal. What a hook has thrown is in the log only. */
export const StoredFailure = Schema.Union([
  Schema.TaggedStruct("HookRejected", { stage: Schema.String, reason: Reason, message: Schema.String }),
  Schema.TaggedStruct("HookFailed", {
    hook: Schema.String,
    message: Schema.String,
    /** A hook has made a value too large. */
    too_large: Schema.optionalKey(Schema.Struct({
      what: Schema.String,
      limit: Schema.Int,
      setting: Schema.optionalKey(Schema.String),
      unit: Schema.optionalKey(Schema.Literal("keys"))
    }))
  })
])
type StoredFailure = typeof StoredFailure.Type

export const stored = (failure: HookFailure): StoredFailure => {
  const { message } = failure
  switch (failure._tag) {
    case "HookRejected":
      return { _tag: "HookRejected", stage: failure.stage, reason: failure.reason, message }
    case "HookBroken":
      return { _tag: "HookFailed", hook: failure.hook, message }
    case "RunLimitReached":
      return { _tag: "HookFailed", hook: "", message }
    case "ValueTooLarge": {
      const { _tag: _, ...too_large } = { ...failure }
      return { _tag: "HookFailed", hook: "", message, too_large }
    }
  }
}

export const restored = (failure: StoredFailure): HookFailure => {
  if (failure._tag === "HookRejected") return new HookRejected(failure)
  const { hook, message, too_large } = failure
  if (too_large !== undefined) return new ValueTooLarge(too_large)
  return hook === ""
    ? new RunLimits.RunLimitReached({ message })
    : new HookBroken({ hook, cause: new Error("It failed before the run was resumed") })
}
