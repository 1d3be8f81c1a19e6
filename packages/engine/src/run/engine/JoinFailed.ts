// An engine retries its first heartbeat while it is built. Its caller can stop waiting for it at the first failure.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Layer } from "effect"

export class JoinFailed extends Context.Service<JoinFailed, (failure: StorageUnavailable) => Effect.Effect<unknown>>()(
  "@svc-runtime/engine/run/engine/JoinFailed"
) {}

/** The caller waits until the database accepts the heartbeat. */
export const layerNone: Layer.Layer<JoinFailed> = Layer.succeed(JoinFailed, () => Effect.void)
