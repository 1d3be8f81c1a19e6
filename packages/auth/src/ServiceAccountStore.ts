// Where service accounts are kept, with who made and who revoked them. Of an account only `last_used_at` and `revoked_at`
// ever change, and what is revoked stays revoked.
import type { Ids, Pagination, ServiceAccount, Sort, StorageUnavailable, Time } from "@svc/domain"
import { Context, type Effect, Layer, type Option } from "effect"
import * as MemoryServiceAccounts from "./MemoryServiceAccounts.ts"
import type { ServiceAccountNameTaken, ServiceAccountNotFound } from "./ServiceAccountErrors.ts"

export interface AccountSort {
  readonly by: "created_at" | "name" | "last_used_at" | "expires_at"
  readonly order: Sort.Order
}

export interface AccountFilter {
  readonly includeRevoked: boolean
}

export interface AccountPage {
  readonly accounts: ReadonlyArray<ServiceAccount.ServiceAccount>
  readonly total: number
}

/** Of the accounts with a name that others have made: none, all of them revoked, or one in use. */
export type NameOfOthers = "none" | "revoked" | "active"

/** What was known of an account when it was to be revoked. */
export interface Revoked {
  readonly name: string
  /** False when it had been revoked before. */
  readonly isNew: boolean
}

export class ServiceAccountStore extends Context.Service<ServiceAccountStore, {
  /** Fails when an account that is not revoked has the name, and is rejected when another account has the id or hash. */
  readonly insert: (
    account: ServiceAccount.ServiceAccount,
    entry: ServiceAccount.AuditEntry
  ) => Effect.Effect<void, ServiceAccountNameTaken | StorageUnavailable>
  /** Others than `user_id`. An account whose maker is not known was made by somebody else. */
  readonly nameOfOthers: (
    name: string,
    user_id: Ids.UserId | null
  ) => Effect.Effect<NameOfOthers, StorageUnavailable>
  /** Whatever has become of the account. One statement: every request of an account costs it. */
  readonly findByHash: (
    token_hash: string
  ) => Effect.Effect<Option.Option<ServiceAccount.ServiceAccount>, StorageUnavailable>
  /** Ties are broken by the order of creation. */
  readonly list: (
    filter: AccountFilter,
    page: Pagination.Request,
    sort: AccountSort
  ) => Effect.Effect<AccountPage, StorageUnavailable>
  /** A second time changes nothing, and leaves no second entry. */
  readonly revoke: (
    id: ServiceAccount.Id,
    at: Time.EpochSeconds,
    entry: ServiceAccount.AuditEntry
  ) => Effect.Effect<Revoked, ServiceAccountNotFound | StorageUnavailable>
  /** Says that the account was used, unless it is known to have been used after `notSince`. */
  readonly touch: (
    id: ServiceAccount.Id,
    at: Time.EpochSeconds,
    notSince: Time.EpochSeconds
  ) => Effect.Effect<void, StorageUnavailable>
  /** What happened to an account, in order. */
  readonly audit: (
    id: ServiceAccount.Id
  ) => Effect.Effect<ReadonlyArray<ServiceAccount.AuditEntry>, StorageUnavailable>
}>()("@svc/auth/ServiceAccountStore") {
  static readonly layerMemory: Layer.Layer<ServiceAccountStore> = Layer.sync(
    ServiceAccountStore,
    () => ServiceAccountStore.of(MemoryServiceAccounts.make())
  )
}
