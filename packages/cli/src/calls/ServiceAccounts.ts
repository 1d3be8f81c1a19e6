// The service accounts of a service, over its HTTP API. Older and other implementations are supported: lists without
// pages, scopes as objects, missing fields.
import { Data, Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import * as Calls from "./Calls.ts"
import type { Access } from "./Calls.ts"
import { isObject, jsonOf, type Reply } from "./Exchange.ts"

export type { Access, Failure } from "./Calls.ts"

export const Account = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  principal: Schema.String,
  token_prefix: Schema.String,
  scopes: Schema.Array(Schema.String),
  created_at: Schema.NullOr(Schema.Finite),
  expires_at: Schema.NullOr(Schema.Finite),
  last_used_at: Schema.NullOr(Schema.Finite),
  revoked_at: Schema.NullOr(Schema.Finite)
})
export type Account = typeof Account.Type

export interface Minted {
  readonly account: Account
  readonly token: Redacted.Redacted
}

export interface Request {
  readonly name: string
  /** Default: the service's default scopes. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** A number of days, or no expiry. */
  readonly expires: number | "never"
  readonly privileged?: boolean | undefined
}

/** An account of this name exists. */
export class NameTaken extends Data.TaggedError("NameTaken")<{ readonly name: string }> {}

const limit = "10 seconds"
const pageSize = 100

const text = (value: Schema.Json | undefined): string | undefined => typeof value === "string" ? value : undefined
const seconds = (value: Schema.Json | undefined): number | null => typeof value === "number" ? value : null

const scopeOf = (value: Schema.Json): ReadonlyArray<string> => {
  const scope = isObject(value) ? text(value["raw"]) ?? text(value["scope"]) : text(value)
  return scope === undefined ? [] : [scope]
}

/** The account in a response. It needs an id and a name. */
const accountOf = (value: Schema.Json | undefined): Account | undefined => {
  if (!isObject(value)) return undefined
  const id = text(value["id"])
  const name = text(value["name"])
  if (id === undefined || name === undefined) return undefined
  const scopes = value["scopes"]
  return {
    id,
    name,
    principal: text(value["principal"]) ?? `sa:${name}`,
    token_prefix: text(value["token_prefix"]) ?? "",
    scopes: Array.isArray(scopes) ? scopes.flatMap(scopeOf) : [],
    created_at: seconds(value["created_at"]),
    expires_at: seconds(value["expires_at"]),
    last_used_at: seconds(value["last_used_at"]),
    revoked_at: seconds(value["revoked_at"])
  }
}

const call = (access: Access, request: HttpClientRequest.HttpClientRequest, expected: ReadonlyArray<number>) =>
  Calls.call(access, request, { expected, limit })

const malformed = ({ status }: Reply, what: string) => new Calls.CallFailed({ status, detail: what })

const bodyOf = (reply: Reply) =>
  Effect.mapError(
    Effect.fromOption(jsonOf(reply)),
    () => malformed(reply, `the response is not JSON, it is a non-JSON body with HTTP ${reply.status}`)
  )

const accountIn = (reply: Reply, value: Schema.Json | undefined) => {
  const account = accountOf(value)
  return account === undefined
    ? Effect.fail(malformed(reply, "a service account in the response has no id or no name"))
    : Effect.succeed(account)
}

export const create = Effect.fn("ServiceAccounts.create")(function*(access: Access, wanted: Request) {
  const reply = yield* call(
    access,
    HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${access.url}/service-accounts`), {
      name: wanted.name,
      ...(wanted.scopes === undefined
        ? {}
        : { scopes: wanted.scopes.map((scope) => ({ scope, effect: "allow" })) }),
      ...(wanted.expires === "never" ? { never_expires: true } : { expires_in_days: wanted.expires }),
      ...(wanted.privileged === true ? { allow_privileged_scopes: true } : {})
    }),
    [200, 201]
  ).pipe(
    Effect.catchIf(
      (error) => error._tag === "CallFailed" && error.status === 409,
      () => Effect.fail(new NameTaken({ name: wanted.name }))
    )
  )
  const body = yield* bodyOf(reply)
  const account = yield* accountIn(reply, body)
  const token = isObject(body) ? text(body["token"]) : undefined
  if (token === undefined) return yield* malformed(reply, "there is no token in the response")
  const minted: Minted = { account, token: Redacted.make(token) }
  return minted
})

interface Page {
  readonly accounts: ReadonlyArray<Account>
  readonly isLast: boolean
}

const page = Effect.fnUntraced(function*(
  access: Access,
  query: { readonly page: number; readonly limit: number; readonly include_revoked?: boolean }
) {
  const reply = yield* call(
    access,
    HttpClientRequest.get(`${access.url}/service-accounts`, { urlParams: query }),
    [200]
  )
  const body = yield* bodyOf(reply)
  const items = isObject(body) ? body["data"] : body
  if (!Array.isArray(items)) return yield* malformed(reply, "the response holds no list of service accounts")
  const meta = isObject(body) ? body["meta"] : undefined
  const pages = isObject(meta) ? seconds(meta["total_pages"]) ?? 1 : 1
  const listed: Page = {
    accounts: yield* Effect.forEach(items, (item) => accountIn(reply, item)),
    // an empty page also ends the list, whatever its total
    isLast: query.page >= pages || items.length === 0
  }
  return listed
})

/** All accounts, including revoked ones. */
export const list = Effect.fn("ServiceAccounts.list")(function*(access: Access) {
  const all: Array<Account> = []
  for (let number = 1;; number++) {
    const { accounts, isLast } = yield* page(access, { page: number, limit: pageSize })
    all.push(...accounts)
    if (isLast) return all as ReadonlyArray<Account>
  }
})

/** The active account of this name. */
export const findActive = Effect.fn("ServiceAccounts.findActive")(function*(access: Access, name: string) {
  for (let number = 1;; number++) {
    const { accounts, isLast } = yield* page(access, { page: number, limit: pageSize, include_revoked: false })
    const found = accounts.find((account) => account.name === name && account.revoked_at === null)
    if (found !== undefined) return Option.some(found)
    if (isLast) return Option.none<Account>()
  }
})

/** Succeeds if the credential can read accounts, or if the service needs none. */
export const check = Effect.fn("ServiceAccounts.check")(function*(access: Access) {
  yield* call(access, HttpClientRequest.get(`${access.url}/service-accounts`, { urlParams: { page: 1, limit: 1 } }), [
    200
  ])
})

export const revoke = Effect.fn("ServiceAccounts.revoke")(function*(access: Access, id: string) {
  yield* call(access, HttpClientRequest.delete(`${access.url}/service-accounts/${encodeURIComponent(id)}`), [200, 204])
})
