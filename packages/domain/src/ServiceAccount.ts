// Service accounts: callers that are programs. Their tokens are opaque, shown once, and stored as a hash.
import { Schema } from "effect"
import { UserId } from "./Ids.ts"
import * as Tenant from "./Tenant.ts"
import { EpochSeconds } from "./Time.ts"

export const Id = Schema.String.pipe(Schema.brand("ServiceAccountId"))
export type Id = typeof Id.Type

const slug = /^[a-z0-9][a-z0-9_-]{0,62}$/

const isName = Schema.makeFilter((text: string) => slug.test(text), {
  message: "Input should be 1 to 63 characters of a-z, 0-9, '-' and '_', beginning with a letter or a digit",
  problem: "string_pattern_mismatch",
  toJsonSchema: () => ({ pattern: slug.source })
})
export const Name = Schema.String.check(isName)

/** The prefix of every token: it distinguishes tokens from JWTs, and finds them in leaked text. */
export const tokenPrefix = "svc_pat_"

/** How many characters of a token are shown. */
export const shownLength = 16

const principalPrefix = "sa:"

export const principalOf = (name: string): UserId => UserId.make(`${principalPrefix}${name}`)

/** The name of the service account, if the user is one. */
export const nameOf = (user_id: UserId): string | undefined =>
  user_id.startsWith(principalPrefix) ? user_id.slice(principalPrefix.length) : undefined

/** Allows running all components and reading their sessions. */
export const defaultScopes = ["agents:run", "teams:run", "workflows:run", "sessions:read", "config:read"] as const

export const defaultDays = 90

/** The stored form of an account. */
export interface ServiceAccount {
  readonly id: Id
  readonly name: string
  /** The tenant whose data it sees. Null: it is of none. */
  readonly tenant: string | null
  /** The owner of the account; null if the creator's credential named no user. */
  readonly user_id: UserId | null
  /** SHA-256 of the whole token, in hex. */
  readonly token_hash: string
  readonly token_prefix: string
  readonly scopes: ReadonlyArray<string>
  readonly created_at: EpochSeconds
  readonly expires_at: EpochSeconds | null
  readonly last_used_at: EpochSeconds | null
  readonly revoked_at: EpochSeconds | null
  readonly created_by: string | null
}

const detail = {
  id: Id,
  name: Schema.String,
  principal: Schema.String,
  /** The tenant whose data it sees. Left out: it is of none. */
  tenant: Schema.optionalKey(Schema.String),
  user_id: Schema.NullOr(UserId),
  token_prefix: Schema.String,
  scopes: Schema.Array(Schema.String),
  created_at: EpochSeconds,
  expires_at: Schema.NullOr(EpochSeconds),
  last_used_at: Schema.NullOr(EpochSeconds),
  revoked_at: Schema.NullOr(EpochSeconds),
  created_by: Schema.NullOr(Schema.String),
  /** The code of the service declares it, with its token. */
  declared: Schema.Boolean
}

export const Detail = Schema.Struct(detail).annotate({ identifier: "ServiceAccount" })
export type Detail = typeof Detail.Type

export const Minted = Schema.Struct({
  ...detail,
  /** The token. Only this response contains it. */
  token: Schema.String
}).annotate({ identifier: "ServiceAccountCreated" })
export type Minted = typeof Minted.Type

/** The user of an account. */
export const userOf = ({ name, tenant }: Pick<ServiceAccount, "name" | "tenant">): UserId =>
  tenant === null ? principalOf(name) : Tenant.userIn(tenant, principalOf(name))

export const toDetail = ({ tenant, token_hash: _, ...account }: ServiceAccount, declared = false): Detail => ({
  ...account,
  ...(tenant === null ? {} : { tenant }),
  principal: userOf({ name: account.name, tenant }),
  declared
})

const scope = Schema.String.check(Schema.isMaxLength(255))

/** A scope as text, or as the object of some clients. Denying scopes are not supported. */
export const ScopeInput = Schema.Union([
  scope,
  Schema.Struct({ scope, effect: Schema.optionalKey(Schema.Literal("allow")) })
])

const days = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1), Schema.isLessThanOrEqualTo(3650))

export const Create = Schema.Struct({
  name: Name,
  /** The tenant whose data it sees. Only an admin without a tenant gives it one. */
  tenant: Schema.optionalKey(Tenant.Name),
  scopes: Schema.optionalKey(Schema.NullOr(Schema.Array(ScopeInput).check(Schema.isMaxLength(1000)))),
  expires_in_days: Schema.optionalKey(Schema.NullOr(days)),
  never_expires: Schema.optionalKey(Schema.Boolean),
  allow_privileged_scopes: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "ServiceAccountCreate" })
export type Create = typeof Create.Type

/** A change of an account: who, what and when. */
export interface AuditEntry {
  readonly account_id: Id
  readonly action: "minted" | "revoked"
  /** The caller; null if the credential named no user. */
  readonly actor: string | null
  /** The kind of the credential. */
  readonly credential: string
  readonly at: EpochSeconds
}
