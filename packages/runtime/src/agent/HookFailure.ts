// Why hooks have ended a run, also in the journal.
import { Schema } from "effect"
import type { ValueTooLarge } from "../ByteLimits.ts"
import { HookBroken, Reason } from "./Hook.ts"
import * as RunLimits from "./RunLimits.ts"

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
  Schema.TaggedStruct("HookFailed", { hook: Schema.String, message: Schema.String })
])
type StoredFailure = typeof StoredFailure.Type

export const stored = (failure: HookFailure): StoredFailure =>
  failure._tag === "HookRejected"
    ? { _tag: "HookRejected", stage: failure.stage, reason: failure.reason, message: failure.message }
    : { _tag: "HookFailed", hook: failure._tag === "HookBroken" ? failure.hook : "", message: failure.message }

export const restored = (failure: StoredFailure): HookFailure =>
  failure._tag === "HookRejected"
    ? new HookRejected(failure)
    : failure.hook === ""
    ? new RunLimits.RunLimitReached({ message: failure.message })
    : new HookBroken({ hook: failure.hook, cause: new Error("It failed before the run was resumed") })
