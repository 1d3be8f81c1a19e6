// Failures that are results for the model, and no faults of the service.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Effect } from "effect"

export const expected = <A, E extends { readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Tool.ToolFailed, R> =>
  Effect.mapError(effect, ({ message }) => new Tool.ToolFailed({ message, cause: undefined }))
