// Service accounts. A caller can grant only their own scopes. Only the response that creates an account has its token.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import { ServiceAccounts as Endpoints } from "@svc-runtime/api/ServiceAccounts"
import { type AccountSort, ServiceAccounts as Accounts } from "@svc-runtime/auth"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import * as Sort from "@svc-runtime/domain/Sort"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import * as Declared from "@svc-runtime/features/declarations/Declared"
import * as FormBody from "@svc-runtime/http/forms/FormBody"
import { group } from "@svc-runtime/http/group"
import * as IdempotencyKey from "@svc-runtime/http/idempotency/IdempotencyKey"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Redacted } from "effect"

const isSortable = Sort.isOneOf(["created_at", "name", "last_used_at", "expires_at"])

/** An unknown column means `created_at`. Every order but `asc` is descending. */
const sortOf = (by: string, order: string): AccountSort => ({
  by: isSortable(by) ? by : "created_at",
  order: order === "asc" ? "asc" : "desc"
})

/** The same for the same request, whatever the order of its keys. */
const fieldsOf = (payload: ServiceAccount.Create): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, JSON.stringify(value)]))

const shownBefore = (name: string) =>
  Errors.conflict(
    `Idempotency-Key was used for this request before, and a token is shown once. If the service account '${name}' is there ` +
      "and its token is lost, revoke it; then, or if it is not there, send the request with another key."
  )

export const ServiceAccounts = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const accounts = yield* Accounts
    const idempotency = yield* IdempotencyStore
    const declared = yield* Declared.of("service_account", "service account")

    const mint = Effect.fnUntraced(function*(payload: ServiceAccount.Create) {
      const { account, token } = yield* accounts.mint(yield* CurrentPrincipal, payload).pipe(
        Effect.catchTags({
          InvalidScopes: (error) => Effect.fail(Errors.badRequest(error.message)),
          PrivilegedScopes: (error) => Effect.fail(Errors.badRequest(error.message)),
          MintingRejected: (error) => Effect.fail(Errors.unauthenticated(error.message)),
          TenantNotGranted: (error) => Effect.fail(Errors.forbidden(error.message)),
          ScopesNotHeld: (error) => Effect.fail(Errors.forbidden(error.message)),
          ServiceAccountNameRetired: (error) => Effect.fail(Errors.forbidden(error.message)),
          ServiceAccountNameTaken: (error) => Effect.fail(Errors.conflict(error.message))
        })
      )
      return { ...ServiceAccount.toDetail(account), token: Redacted.value(token) }
    })

    return handlers.handleAll({
      create: Effect.fn("ServiceAccounts.create")(function*({ payload, request }) {
        const { name } = payload
        const fingerprint = FormBody.fingerprintOf({ fields: fieldsOf(payload), files: [] })
        const claimed = yield* IdempotencyKey.claim(idempotency, { request, fingerprint, subject: { name } })
        if (claimed?.isNew === false) return yield* shownBefore(name)
        // if it is unknown whether the account was stored, its name shows it
        return yield* Effect.onError(mint(payload), () => Effect.ignore(claimed?.release ?? Effect.void, { log: true }))
      }, orUnavailable),
      list: Effect.fn("ServiceAccounts.list")(function*({ query }) {
        const found = yield* accounts.list(
          { includeRevoked: query.include_revoked },
          query,
          sortOf(query.sort_by, query.sort_order)
        )
        const known = yield* declared.ids
        const shown = found.accounts.map((account) => ServiceAccount.toDetail(account, known.has(account.id)))
        return Pagination.response(query, shown, found.total)
      }, orUnavailable),
      revoke: Effect.fn("ServiceAccounts.revoke")(function*({ params }) {
        yield* accounts.revoke(yield* CurrentPrincipal, params.service_account_id).pipe(
          Effect.catchTags({
            ServiceAccountNotFound: (error) => Effect.fail(Errors.notFound(error.message))
          })
        )
      }, orUnavailable)
    })
  })
)
