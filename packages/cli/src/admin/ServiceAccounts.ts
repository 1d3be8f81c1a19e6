// The service accounts of a service, over its HTTP API, with errors that suggest the next step. Older and other
// implementations are supported: lists without pages, scopes as objects, missing fields.
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Clock, Data, Effect, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import * as Calls from "../calls/Calls.ts"
import type { Access, Failure } from "../calls/Calls.ts"
import { isObject, jsonOf, type Reply } from "../calls/Exchange.ts"
import { CommandFailed } from "../CliError.ts"
import { hint } from "./AdminCredential.ts"

export type { Access } from "../calls/Calls.ts"

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

const requestNew = Effect.fn("ServiceAccounts.create")(function*(access: Access, wanted: Request) {
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
const readAll = Effect.fn("ServiceAccounts.list")(function*(access: Access) {
  const all: Array<Account> = []
  for (let number = 1;; number++) {
    const { accounts, isLast } = yield* page(access, { page: number, limit: pageSize })
    all.push(...accounts)
    if (isLast) return all as ReadonlyArray<Account>
  }
})

/** The active account of this name. */
const readActive = Effect.fn("ServiceAccounts.findActive")(function*(access: Access, name: string) {
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

const requestRevocation = Effect.fn("ServiceAccounts.revoke")(function*(access: Access, id: string) {
  yield* call(access, HttpClientRequest.delete(`${access.url}/service-accounts/${encodeURIComponent(id)}`), [200, 204])
})

export const isAccountName = Schema.is(ServiceAccount.Name)

export const accountNameRule = "Expected 1 to 63 characters of a-z, 0-9, - and _, not beginning with - or _"

/** The service names a field of the request, where the tool has a flag. */
const inFlags = (detail: string): string => {
  const scopes = /allow_privileged_scopes=true: ([\w:*, ]+)/.exec(detail)?.[1]
  return scopes === undefined ? detail : `${scopes} ${scopes.includes(",") ? "are" : "is"} privileged`
}

const describeFailure = (action: string) => (failure: Failure): CommandFailed => {
  switch (failure._tag) {
    case "CredentialRejected":
      return new CommandFailed({ message: `The service rejected the admin credential (${failure.detail})`, hint })
    case "CallFailed":
      return new CommandFailed({
        message: `${action} failed: ${inFlags(failure.detail)}`,
        hint: /allow_privileged_scopes|privileged scope/i.test(failure.detail)
          ? "Add --privileged if the account is meant to have them."
          : undefined
      })
    case "Unreachable":
      return new CommandFailed({ message: failure.message, hint: "See whether it is up with `svc status`." })
  }
}

/** A name that is taken passes as it is, because its handling differs by command. */
export const create = (access: Access, wanted: Request) =>
  Effect.mapError(
    requestNew(access, wanted),
    (failure) =>
      failure._tag === "NameTaken" ? failure : describeFailure(`Creating service account ${wanted.name}`)(failure)
  )

export const list = (access: Access) => Effect.mapError(readAll(access), describeFailure("Listing service accounts"))

export const findActive = (access: Access, name: string) =>
  Effect.mapError(readActive(access, name), describeFailure(`Looking up service account ${name}`))

export const revoke = (access: Access, { id, name }: Account) =>
  Effect.mapError(requestRevocation(access, id), describeFailure(`Revoking service account ${name}`))

/** Checks a credential. One that cannot read accounts may still create them, and is no failure. */
export const checkMinting = (access: Access) =>
  check(access).pipe(
    Effect.as(true),
    Effect.catchIf(
      (failure) => failure._tag === "CredentialRejected" && failure.status === 403,
      () => Effect.succeed(false)
    ),
    Effect.mapError(describeFailure("Checking the credential"))
  )

/** Revokes an account whose token is of no use. A failure is ignored: the account is then returned as active. */
export const revokeUnused = Effect.fn("ServiceAccounts.revokeUnused")(function*(
  access: Access,
  account: Account
) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  return yield* revoke(access, account).pipe(
    Effect.as({ ...account, revoked_at: now }),
    Effect.orElseSucceed(() => account)
  )
})

export const unusedNoteOf = ({ name, revoked_at: revokedAt }: Account): string =>
  revokedAt === null
    ? `Service account ${name} is left without use: revoke it with svc tokens revoke ${name}.`
    : `Service account ${name} was revoked again.`
