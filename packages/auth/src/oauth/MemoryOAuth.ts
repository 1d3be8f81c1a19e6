// `OAuthStore` in memory: for tests and services without persistence.
import { Effect, Option } from "effect"
import type { AuthorizationRequest, Client, Code, Grant, OAuthStore, Token } from "./OAuthStore.ts"

type Stored = Grant & Code

export const make = (): OAuthStore["Service"] => {
  /** Without an expiry after the first consent. */
  const clients = new Map<string, { readonly client: Client; readonly expires_at: number | undefined }>()
  const requests = new Map<string, AuthorizationRequest>()
  const grants = new Map<string, Stored>()
  const tokens = new Map<string, { readonly token: Token; readonly grant_id: string }>()

  const waiting = (id_hash: string, now: number): AuthorizationRequest | undefined => {
    const request = requests.get(id_hash)
    return request !== undefined && request.expires_at > now ? request : undefined
  }

  const put = (grant: Stored, added: ReadonlyArray<Omit<Token, "used_at">>) => {
    const expires_at = Math.max(grant.expires_at, ...added.map((token) => token.expires_at))
    grants.set(grant.id, { ...grant, expires_at })
    for (const token of added) {
      tokens.set(token.token_hash, { token: { ...token, used_at: null }, grant_id: grant.id })
    }
  }

  const withCode = (code_hash: string) => [...grants.values()].find((grant) => grant.code_hash === code_hash)

  return {
    insertClient: (client, { expires_at, now, pending }) =>
      Effect.sync(() => {
        for (const [id, one] of clients) if (one.expires_at !== undefined && one.expires_at <= now) clients.delete(id)
        if ([...clients.values()].filter((one) => one.expires_at !== undefined).length >= pending) return false
        clients.set(client.id, { client, expires_at })
        return true
      }),
    findClient: (id, now) =>
      Effect.sync(() => {
        const found = clients.get(id)
        return found === undefined || (found.expires_at !== undefined && found.expires_at <= now)
          ? Option.none()
          : Option.some(found.client)
      }),
    insertRequest: (request, { now, pending }) =>
      Effect.sync(() => {
        for (const [id, { expires_at }] of requests) if (expires_at <= now) requests.delete(id)
        if (requests.size >= pending) return false
        requests.set(request.id_hash, request)
        return true
      }),
    findRequest: (id_hash, now) => Effect.sync(() => Option.fromNullishOr(waiting(id_hash, now))),
    removeRequest: (id_hash, now) => Effect.sync(() => waiting(id_hash, now) !== undefined && requests.delete(id_hash)),
    approve: (id_hash, grant, now) =>
      Effect.sync(() => {
        const request = waiting(id_hash, now)
        if (request === undefined) return false
        requests.delete(id_hash)
        grants.set(grant.id, grant)
        const registered = clients.get(request.client_id)
        if (registered !== undefined) clients.set(request.client_id, { ...registered, expires_at: undefined })
        return true
      }),
    findByCode: (code_hash) => Effect.sync(() => Option.fromNullishOr(withCode(code_hash))),
    redeem: (code_hash, added, now) =>
      Effect.sync(() => {
        const grant = withCode(code_hash)
        if (grant === undefined || grant.code_used_at !== null || grant.revoked_at !== null) return false
        if (grant.code_expires_at <= now) return false
        put({ ...grant, code_used_at: now }, added)
        return true
      }),
    findToken: (token_hash) =>
      Effect.sync(() => {
        const found = tokens.get(token_hash)
        const grant = found === undefined ? undefined : grants.get(found.grant_id)
        return found === undefined || grant === undefined ? Option.none() : Option.some({ token: found.token, grant })
      }),
    rotate: (refresh_hash, added, now) =>
      Effect.sync(() => {
        const found = tokens.get(refresh_hash)
        const grant = found === undefined ? undefined : grants.get(found.grant_id)
        if (found === undefined || grant === undefined || grant.revoked_at !== null) return false
        const { token } = found
        if (token.kind !== "refresh" || token.used_at !== null || token.expires_at <= now) return false
        tokens.set(refresh_hash, { ...found, token: { ...token, used_at: now } })
        put(grant, added)
        return true
      }),
    revoke: (grant_id, now) =>
      Effect.sync(() => {
        const grant = grants.get(grant_id)
        if (grant === undefined || grant.revoked_at !== null) return false
        grants.set(grant_id, { ...grant, revoked_at: now })
        return true
      })
  }
}
