// The capabilities that tests of the engine do without.
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as JoinFailed from "@svc-runtime/engine/run/engine/JoinFailed"
import * as JobSignal from "@svc-runtime/engine/signals/JobSignal"
import * as RunEndSignal from "@svc-runtime/engine/signals/RunEndSignal"
import * as RunResumeSignal from "@svc-runtime/engine/signals/RunResumeSignal"
import * as RunKnowledge from "@svc-runtime/features/knowledge/RunKnowledge"
import * as TextVectors from "@svc-runtime/features/memory/TextVectors"
import { Layer } from "effect"
import * as StoredComponents from "../src/component/StoredComponents.ts"
import { ClaimedFields } from "../src/runService/ClaimedFields.ts"
import { RunScopes } from "../src/runService/RunPermission.ts"

export const layer = Layer.mergeAll(
  JobSignal.layerNone,
  JoinFailed.layerNone,
  Notifications.layerNone,
  RunEndSignal.layerNone,
  RunResumeSignal.layerNone,
  StoredComponents.layerNone,
  RunKnowledge.layerNone,
  TextVectors.layerNone,
  Layer.succeed(ClaimedFields, { dependencies: [], session_state: [] }),
  // tests of the engine have no routes, which need scopes
  Layer.succeed(RunScopes, () => [])
)
