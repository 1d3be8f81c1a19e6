// Tells evaluations whether the service account that has made them is active. Other callers have no account.
import { ServiceAccountStore } from "@svc-runtime/auth"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { now } from "@svc-runtime/engine/now"
import { Effect, Layer } from "effect"
import { EvaluatorAccount } from "./EvaluatorAccount.ts"

export const layer: Layer.Layer<EvaluatorAccount, never, ServiceAccountStore> = Layer.effect(
  EvaluatorAccount,
  ServiceAccountStore.useSync((store) => (user_id) => {
    const name = ServiceAccount.nameOf(user_id)
    return name === undefined ? Effect.succeed(true) : Effect.flatMap(now, (at) => store.isActive(name, at))
  })
)
