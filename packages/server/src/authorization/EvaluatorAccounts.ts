// Tells evaluations whether the service account that has made them is active. Other callers have no account.
import { ServiceAccountStore } from "@svc/auth"
import * as ServiceAccount from "@svc/domain/ServiceAccount"
import { EvaluatorAccount } from "@svc/runtime/evaluation/EvaluatorAccount"
import { now } from "@svc/runtime/now"
import { Effect, Layer } from "effect"

export const layer: Layer.Layer<never, never, ServiceAccountStore> = Layer.effect(
  EvaluatorAccount,
  ServiceAccountStore.useSync((store) => (user_id) => {
    const name = ServiceAccount.nameOf(user_id)
    return name === undefined ? Effect.succeed(true) : Effect.flatMap(now, (at) => store.isActive(name, at))
  })
)
