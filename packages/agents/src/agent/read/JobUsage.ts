// Counts what a background job uses of models: on its session, in the usage of the hour, and in the metrics of the
// node.
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { now } from "@svc-runtime/engine/now"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Effect, Option } from "effect"
import type * as ConversationRequest from "./ConversationRequest.ts"

/** Of the requests of a role. Those for a session that was removed meanwhile do not count. */
export const make = Effect.map(
  SessionStore,
  (sessions) => (session_id: Session.Id, role: string): ConversationRequest.OnUsage<StorageUnavailable, never> =>
    Effect.fnUntraced(function*(usage, { id, provider }) {
      const component = yield* sessions.addUsage(session_id, { role, model: { id, provider }, usage }, yield* now)
      if (Option.isNone(component)) return
      const { cost = 0, input_tokens: inputTokens = 0, output_tokens: outputTokens = 0 } = usage
      const { jobUsed } = yield* Instruments
      jobUsed({ component: component.value, inputTokens, outputTokens, cost })
    })
)
