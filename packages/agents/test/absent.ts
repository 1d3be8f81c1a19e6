// The capabilities that tests of the engine do without.
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as JoinFailed from "@svc-runtime/engine/run/engine/JoinFailed"
import * as Signals from "@svc-runtime/engine/signals/Signals"
import * as RunKnowledge from "@svc-runtime/features/knowledge/RunKnowledge"
import * as TextVectors from "@svc-runtime/features/memory/TextVectors"
import { Layer } from "effect"
import * as StoredComponents from "../src/component/StoredComponents.ts"
import { ClaimedFields } from "../src/runService/ClaimedFields.ts"
import { RunScopes } from "../src/runService/RunPermission.ts"

export const layer = Layer.mergeAll(
  Signals.layerNone,
  JoinFailed.layerNone,
  Notifications.layerNone,
  StoredComponents.layerNone,
  RunKnowledge.layerNone,
  TextVectors.layerNone,
  Layer.succeed(ClaimedFields, { dependencies: [], session_state: [] }),
  // tests of the engine have no routes, which need scopes
  Layer.succeed(RunScopes, () => [])
)
