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
  problemOfScope,
  Roles,
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

/** The scopes that exist beside those of every service. */
const knownScopes = ({ mappings, resources = [], routeScopes = [] }: Access) => ({
  declaredScopes: [...mappings.flatMap(({ scopes }) => scopes), ...routeScopes],
  resources
})

/**
 * Why the roles of code cannot be used, or those of groups where no others exist: a sentence that says what to do.
 * Undefined if they can.
 */
export const problemOfRoles = (access: Access, areStored: boolean): string | undefined => {
  const { roles, settings: { adminScope, jwt: { groupRoles } } } = access
  for (const [name, scopes] of roles) {
    const problem = scopes.map((scope) => problemOfScope(scope, { adminScope, ...knownScopes(access) }))
      .find((each) => each !== undefined)
    if (problem !== undefined) return `The role '${name}' cannot be used: ${problem.replace(/[^?]$/, "$&.")}`
  }
  if (areStored) return undefined
  for (const [group, names] of groupRoles) {
    const unknown = names.find((name) => !roles.has(name))
    if (unknown !== undefined) {
      return `The group '${group}' has the role '${unknown}' (GROUP_ROLES), which does not exist. Declare it in ` +
        "'authorization.roles'."
    }
  }
  return undefined
}

/** Uses the provided store of accounts. */
export const authenticator = (access: Access) => {
  const { roles, serviceAccountCacheSeconds, settings } = access
  return Authenticator.layer(settings).pipe(
    Layer.provideMerge(
      ServiceAccounts.layer({
        adminScope: settings.adminScope,
        cacheSeconds: serviceAccountCacheSeconds,
        ...knownScopes(access)
      })
    ),
    Layer.provideMerge(
      Roles.layer({ adminScope: settings.adminScope, declared: roles, ofGroups: settings.jwt.groupRoles })
    )
  )
}

/** Loads what fetches at the start. */
const externalIssuer = Effect.promise(() => import("./ExternalIssuer.ts"))
const clientDocuments = Effect.promise(() => import("./ClientDocuments.ts"))

const noDocuments = Layer.succeed(ClientDocuments, { fetch: () => Effect.fail("There is no authorization server") })

export interface OAuth {
  readonly settings: McpOAuth | undefined
  /** What may be fetched. */
  readonly fetch: SafeFetchOptions | undefined
}

const tokens = ({ fetch, settings }: OAuth, { jwt }: Access["settings"]) => {
  if (settings === undefined) return OAuthTokens.layerDisabled
  const { server } = settings
  return server._tag === "BuiltIn"
    ? GrantTokens.layer
    : Layer.unwrap(Effect.map(externalIssuer, ({ layer }) => layer(settings, server, jwt, fetch)))
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
  return Layer.merge(tokens(oauth, access.settings), authorizationServer(oauth, adminScope)).pipe(
    Layer.provideMerge(authenticator(access)),
    Layer.provide([accountStore, oauthStore])
  )
}
