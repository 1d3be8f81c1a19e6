// `OAuthStore` in memory: for tests and services without persistence.
import type { AuthorizationRequest, Client, Code, Grant, OAuthStore, Token } from "@svc-runtime/auth"
import { Effect, Option } from "effect"

type Stored = Grant & Code

interface Registered {
  readonly client: Client
  readonly expires_at: number | undefined
  readonly address_hash: string
}

/** The address that occurs most often. */
const busiest = (all: ReadonlyArray<Registered>): string | undefined => {
  const counts = new Map<string, number>()
  for (const { address_hash } of all) counts.set(address_hash, (counts.get(address_hash) ?? 0) + 1)
  return [...counts].reduce<readonly [string, number] | undefined>(
    (most, one) => most === undefined || one[1] > most[1] ? one : most,
    undefined
  )?.[0]
}

export const make = (): OAuthStore["Service"] => {
  /** Without an expiry after the first consent. */
  const clients = new Map<string, Registered>()
  const requests = new Map<string, AuthorizationRequest & { readonly address_hash: string }>()
  const grants = new Map<string, Stored>()
  const tokens = new Map<string, { readonly token: Token; readonly grant_id: string }>()

  const waiting = (id_hash: string, now: number) => {
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
    insertClient: (client, { address_hash, expires_at, now, ofAddress, pending, unusedSince }) =>
      Effect.sync(() => {
        for (const [id, one] of clients) if (one.expires_at !== undefined && one.expires_at <= now) clients.delete(id)
        const waiting = [...clients.values()].filter((one) => one.expires_at !== undefined)
        const own = waiting.filter((one) => one.address_hash === address_hash)
        const crowd = own.length >= ofAddress ? address_hash : waiting.length >= pending ? busiest(waiting) : undefined
        if (crowd !== undefined || pending === 0) {
          const used = new Set([...requests.values()].flatMap((one) => one.expires_at > now ? [one.client_id] : []))
          const oldest = waiting.find((one) =>
            one.address_hash === crowd && one.client.created_at <= unusedSince && !used.has(one.client.id)
          )
          if (oldest === undefined) return false
          clients.delete(oldest.client.id)
        }
        clients.set(client.id, { client, expires_at, address_hash })
        return true
      }),
    findClient: (id, now) =>
      Effect.sync(() => {
        const found = clients.get(id)
        return found === undefined || (found.expires_at !== undefined && found.expires_at <= now)
          ? Option.none()
          : Option.some(found.client)
      }),
    insertRequest: (request, { address_hash, now, ofAddress, pending }) =>
      Effect.sync(() => {
        for (const [id, { expires_at }] of requests) if (expires_at <= now) requests.delete(id)
        const own = [...requests.values()].filter((one) => one.address_hash === address_hash)
        if (requests.size >= pending || own.length >= ofAddress) return false
        requests.set(request.id_hash, { ...request, address_hash })
        return true
      }),
    findRequest: (id_hash, now) =>
      Effect.sync(() => {
        const found = waiting(id_hash, now)
        if (found === undefined) return Option.none()
        const { address_hash: _, ...request } = found
        return Option.some(request)
      }),
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
