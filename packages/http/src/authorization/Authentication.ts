// Authentication for every transport. It requires the databases and the store of service accounts.
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import * as ServedStores from "@svc-runtime/agents/database/ServedStores"
import {
  Authenticator,
  AuthorizationServer,
  ClientDocuments,
  GrantTokens,
  OAuthStore,
  OAuthTokens,
  ServiceAccounts,
  ServiceAccountStore,
  TokenVerifier
} from "@svc-runtime/auth"
import type { SafeFetchOptions } from "@svc-runtime/fetch"
import { Effect, Layer } from "effect"
import type { Access } from "./AuthorizationOptions.ts"
import type { McpOAuth } from "./McpOAuth.ts"

/** These stores are in the service's own database: its engine knows whether it replies. */
const accountStore = Layer.effect(
  ServiceAccountStore,
  Effect.gen(function*() {
    const { own } = yield* ServedDatabases
    return ServedStores.guarded(own.engine, yield* ServiceAccountStore)
  })
)

const oauthStore = Layer.effect(
  OAuthStore,
  Effect.gen(function*() {
    const { own } = yield* ServedDatabases
    return ServedStores.guarded(own.engine, yield* OAuthStore)
  })
)

/** Fails with unusable keys. It is built before the engines, so that a node that cannot start takes over no runs. */
export const verifier = ({ settings }: Access) =>
  settings.mode === "jwt" ? TokenVerifier.layerJwt(settings.jwt) : TokenVerifier.layerDisabled

/** Uses the provided store of accounts. */
export const authenticator = (
  { mappings, resources = [], routeScopes = [], serviceAccountCacheSeconds, settings }: Access
) =>
  Authenticator.layer(settings).pipe(
    Layer.provideMerge(
      ServiceAccounts.layer({
        adminScope: settings.adminScope,
        cacheSeconds: serviceAccountCacheSeconds,
        declaredScopes: [...mappings.flatMap(({ scopes }) => scopes), ...routeScopes],
        resources
      })
    )
  )

/** Loads what fetches at the start. */
const externalIssuer = Effect.promise(() => import("./ExternalIssuer.ts"))
const clientDocuments = Effect.promise(() => import("./ClientDocuments.ts"))

const noDocuments = Layer.succeed(ClientDocuments, { fetch: () => Effect.fail("There is no authorization server") })

export interface OAuth {
  readonly settings: McpOAuth | undefined
  /** What may be fetched. */
  readonly fetch: SafeFetchOptions | undefined
}

const tokens = ({ fetch, settings }: OAuth, adminScope: string) => {
  if (settings === undefined) return OAuthTokens.layerDisabled
  const { server } = settings
  return server._tag === "BuiltIn"
    ? GrantTokens.layer(adminScope)
    : Layer.unwrap(Effect.map(externalIssuer, ({ layer }) => layer(settings, server, adminScope, fetch)))
}

/** No request reaches it if another server, or none, protects the MCP endpoint. */
const authorizationServer = ({ fetch, settings }: OAuth, adminScope: string) => {
  const server = settings?.server
  const isOwn = server?._tag === "BuiltIn"
  return AuthorizationServer.layer({ adminScope, connectSecret: isOwn ? server.connectSecret : undefined }).pipe(
    Layer.provide(isOwn ? Layer.unwrap(Effect.map(clientDocuments, ({ layer }) => layer(fetch))) : noDocuments)
  )
}

export const layer = (access: Access, oauth: OAuth) => {
  const { adminScope } = access.settings
  return Layer.merge(tokens(oauth, adminScope), authorizationServer(oauth, adminScope)).pipe(
    Layer.provideMerge(authenticator(access)),
    Layer.provide([accountStore, oauthStore])
  )
}
