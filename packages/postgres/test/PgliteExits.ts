// Statements that fail, and their reasons, on an embedded database.
import { assert } from "@effect/vitest"
import { Cause, Exit } from "effect"

export const range = (length: number) => Array.from({ length }, (_, index) => index + 1)

export const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

export const reasonOf = (exit: Exit.Exit<unknown, unknown>) => {
  // the driver makes a defect of what breaks off a transaction so that it cannot be rolled back
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return error instanceof Object && "reason" in error
    ? error.reason as { readonly _tag: string; readonly cause: { readonly code?: string; readonly message: string } }
    : assert.fail(`Not an SqlError: ${String(exit)}`)
}
