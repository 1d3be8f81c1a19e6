// Removes old deliveries, ends deliveries without a job, and notes in a database beside the service's own which events
// webhooks want of it. One repeating job of each database.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { now } from "@svc-runtime/engine/now"
import { Effect } from "effect"
import { prunedAtOnce } from "./deliveryConstants.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { ServiceWebhooks } from "./ServiceWebhooks.ts"
import { WebhookLimits } from "./WebhookLimits.ts"

/** Seconds without an attempt after which a pending delivery is checked. Attempts are an hour apart at most. */
const gracePeriod = 6 * 3600

const error = "No attempt was made for six hours, and its job is gone. The log of the service says why"

/** `isOwn`: the database has the webhooks too, and reads the wanted events from them. */
export const kind = Effect.fnUntraced(function*(isOwn: boolean) {
  const [webhooks, deliveries] = [yield* ServiceWebhooks, yield* DeliveryStore]
  const { keepSeconds } = yield* WebhookLimits

  const prune = Effect.gen(function*() {
    const at = yield* now
    const endedBefore = keepSeconds === 0 ? undefined : at - keepSeconds
    for (;;) {
      if ((yield* deliveries.prune({ endedBefore, pendingBefore: at - gracePeriod, error, at })) < prunedAtOnce) break
    }
  })

  return JobKind.repeating({
    name: "webhook-upkeep",
    every: "1 minute",
    handle: Effect.fnUntraced(function*() {
      if (!isOwn) yield* deliveries.follow(yield* webhooks.wanted())
      yield* prune
    })
  })
})
