// Authentication for every transport. It requires the databases and the store of service accounts.
import { Authenticator, ServiceAccounts, ServiceAccountStore, TokenVerifier } from "@svc/auth"
import * as RequestStores from "@svc/runtime/database/RequestStores"
import { ServedDatabases } from "@svc/runtime/database/ServedDatabases"
import { Effect, Layer } from "effect"
import type { Access } from "./AuthorizationOptions.ts"

/** Accounts are in the service's own database: its engine knows whether it answers. */
const accountStore = Layer.effect(
  ServiceAccountStore,
  Effect.gen(function*() {
    const { own } = yield* ServedDatabases
    return RequestStores.guarded(own.engine, yield* ServiceAccountStore)
  })
)

/** Fails with unusable keys. It is built before the engines, so that a node that cannot start takes over no runs. */
export const verifier = ({ settings }: Access) =>
  settings.mode === "jwt" ? TokenVerifier.layerJwt(settings.jwt) : TokenVerifier.layerDisabled

/** Uses the provided store of accounts. */
export const authenticator = ({ serviceAccountCacheSeconds, settings }: Access) =>
  Authenticator.layer(settings).pipe(
    Layer.provideMerge(
      ServiceAccounts.layer({ adminScope: settings.adminScope, cacheSeconds: serviceAccountCacheSeconds })
    )
  )

export const layer = (access: Access) => Layer.provide(authenticator(access), accountStore)
