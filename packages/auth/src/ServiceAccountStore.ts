// Stores service accounts, with who created and who revoked them. Only `last_used_at` and `revoked_at` of an account
// change, and revoking is final.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import type * as Sort from "@svc-runtime/domain/Sort"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, type Option } from "effect"
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

/** The state of accounts with a name that others have created: none, all revoked, or one active. */
export type NameOfOthers = "none" | "revoked" | "active"

/** The state of an account when it is revoked. */
export interface Revoked {
  readonly name: string
  readonly tenant: string | null
  /** False if it was already revoked. */
  readonly isNew: boolean
}

export class ServiceAccountStore extends Context.Service<ServiceAccountStore, {
  /** Fails if an active account has the name. Rejected if another account has the id or hash. */
  readonly insert: (
    account: ServiceAccount.ServiceAccount,
    entry: ServiceAccount.AuditEntry
  ) => Effect.Effect<void, ServiceAccountNameTaken | StorageUnavailable>
  /** Creators other than `user_id`. An unknown creator counts as another one. */
  readonly nameOfOthers: (
    name: string,
    user_id: Ids.UserId | null
  ) => Effect.Effect<NameOfOthers, StorageUnavailable>
  /** Whether an account of this name and this tenant is neither revoked nor expired. */
  readonly isActive: (
    name: string,
    tenant: string | null,
    at: Time.EpochSeconds
  ) => Effect.Effect<boolean, StorageUnavailable>
  /** Returns revoked and expired accounts too. One statement, because every request of an account runs it. */
  readonly findByHash: (
    token_hash: string
  ) => Effect.Effect<Option.Option<ServiceAccount.ServiceAccount>, StorageUnavailable>
  /** Ties are ordered by creation. */
  readonly list: (
    filter: AccountFilter,
    page: Pagination.Request,
    sort: AccountSort
  ) => Effect.Effect<AccountPage, StorageUnavailable>
  /** Idempotent: a second call changes nothing and adds no audit entry. */
  readonly revoke: (
    id: ServiceAccount.Id,
    at: Time.EpochSeconds,
    entry: ServiceAccount.AuditEntry
  ) => Effect.Effect<Revoked, ServiceAccountNotFound | StorageUnavailable>
  /** Of an account that is not revoked; its audit stays. Returns its name. None: there is none, or it is revoked. */
  readonly remove: (
    id: ServiceAccount.Id,
    entry: ServiceAccount.AuditEntry
  ) => Effect.Effect<Option.Option<string>, StorageUnavailable>
  /** Records the use of the account, unless a use after `notSince` is recorded. */
  readonly touch: (
    id: ServiceAccount.Id,
    at: Time.EpochSeconds,
    notSince: Time.EpochSeconds
  ) => Effect.Effect<void, StorageUnavailable>
  /** The audit entries of an account, in order. */
  readonly audit: (
    id: ServiceAccount.Id
  ) => Effect.Effect<ReadonlyArray<ServiceAccount.AuditEntry>, StorageUnavailable>
}>()("@svc-runtime/auth/ServiceAccountStore") {}
