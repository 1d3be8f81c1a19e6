// `ServiceAccountStore` in memory: for tests and services without persistence.
import { ServiceAccountNameTaken, ServiceAccountNotFound } from "@svc-runtime/auth"
import type { ServiceAccountStore } from "@svc-runtime/auth"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import * as Sort from "@svc-runtime/domain/Sort"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Option } from "effect"

type Account = ServiceAccount.ServiceAccount

export const make = (): ServiceAccountStore["Service"] => {
  /** The accounts in the order of their creation. */
  const accounts = new Map<ServiceAccount.Id, Account>()
  const entries: Array<ServiceAccount.AuditEntry> = []

  const withHash = (token_hash: string) => [...accounts.values()].find((account) => account.token_hash === token_hash)

  const change = (id: ServiceAccount.Id, fields: Partial<Account>) => {
    const account = accounts.get(id)
    if (account !== undefined) accounts.set(id, { ...account, ...fields })
  }

  return {
    insert: (account, entry) =>
      Effect.suspend((): Effect.Effect<void, ServiceAccountNameTaken | StorageUnavailable> => {
        for (const { name, revoked_at } of accounts.values()) {
          if (revoked_at === null && name === account.name) {
            return Effect.fail(new ServiceAccountNameTaken({ name_taken: name }))
          }
        }
        if (accounts.has(account.id) || withHash(account.token_hash) !== undefined) {
          const cause = new Error("The service account has the id or the token of another account")
          return Effect.fail(new StorageUnavailable({ cause, isRejected: true }))
        }
        accounts.set(account.id, account)
        entries.push(entry)
        return Effect.void
      }),
    nameOfOthers: (name, user_id) =>
      Effect.sync(() => {
        const others = [...accounts.values()].filter((account) =>
          account.name === name && (account.user_id === null || account.user_id !== user_id)
        )
        if (others.length === 0) return "none"
        return others.some(({ revoked_at }) => revoked_at === null) ? "active" : "revoked"
      }),
    isActive: (name, tenant, at) =>
      Effect.sync(() =>
        [...accounts.values()].some((account) =>
          account.name === name && account.tenant === tenant && account.revoked_at === null &&
          (account.expires_at === null || account.expires_at > at)
        )
      ),
    findByHash: (token_hash) => Effect.sync(() => Option.fromNullishOr(withHash(token_hash))),
    list: ({ includeRevoked }, page, sort) =>
      Effect.sync(() => {
        const found = [...accounts.values()]
          .map((account, sequence) => ({ account, sequence }))
          .filter(({ account: { revoked_at } }) => includeRevoked || revoked_at === null)
          .sort(Sort.compare(sort.order, ({ account }) => account[sort.by], ({ sequence }) => sequence))
        return { accounts: Pagination.slice(page, found).map(({ account }) => account), total: found.length }
      }),
    revoke: (id, at, entry) =>
      Effect.suspend(() => {
        const account = accounts.get(id)
        if (account === undefined) return Effect.fail(new ServiceAccountNotFound({ id }))
        const isNew = account.revoked_at === null
        if (isNew) {
          change(id, { revoked_at: at })
          entries.push(entry)
        }
        return Effect.succeed({ name: account.name, tenant: account.tenant, isNew })
      }),
    remove: (id, entry) =>
      Effect.sync(() => {
        const found = accounts.get(id)
        if (found?.revoked_at !== null) return Option.none()
        entries.push(entry)
        accounts.delete(id)
        return Option.some(found.name)
      }),
    touch: (id, at, notSince) =>
      Effect.sync(() => {
        const used = accounts.get(id)?.last_used_at
        if (used === null || (used !== undefined && used <= notSince)) change(id, { last_used_at: at })
      }),
    audit: (id) => Effect.sync(() => entries.filter(({ account_id }) => account_id === id))
  }
}
