// An engine retries its first heartbeat while it is built. Its caller can stop waiting for it at the first failure.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect } from "effect"

export const JoinFailed = Context.Reference<(failure: StorageUnavailable) => Effect.Effect<unknown>>(
  "@svc-runtime/agents/run/JoinFailed",
  { defaultValue: () => () => Effect.void }
)
