// Service accounts. Whoever may mint may hand on what they hold, and no more; the token is in one answer and nowhere else.
import { Api, CurrentPrincipal, Errors } from "@svc/api"
import { type AccountSort, ServiceAccounts as Accounts } from "@svc/auth"
import { Pagination, ServiceAccount } from "@svc/domain"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { storageUnavailable } from "./translate.ts"

const sortable: ReadonlyArray<string> = ["created_at", "name", "last_used_at", "expires_at"]

/** An unknown column sorts by age, and only `asc` turns the order round. */
const sortOf = (by: string, order: string): AccountSort => ({
  by: sortable.includes(by) ? by as AccountSort["by"] : "created_at",
  order: order === "asc" ? "asc" : "desc"
})

export const ServiceAccounts = HttpApiBuilder.group(
  Api,
  "serviceAccounts",
  Effect.fnUntraced(function*(handlers) {
    const accounts = yield* Accounts
    return handlers.handleAll({
      create: Effect.fn("ServiceAccounts.create")(function*({ payload }) {
        const { account, token } = yield* accounts.mint(yield* CurrentPrincipal, payload).pipe(
          Effect.catchTags({
            InvalidScopes: (error) => Effect.fail(Errors.badRequest(error.message)),
            PrivilegedScopes: (error) => Effect.fail(Errors.badRequest(error.message)),
            MintingRefused: (error) => Effect.fail(Errors.unauthenticated(error.message)),
            ScopesNotHeld: (error) => Effect.fail(Errors.forbidden(error.message)),
            ServiceAccountNameTaken: (error) => Effect.fail(Errors.conflict(error.message)),
            StorageUnavailable: (error) => Effect.fail(storageUnavailable(error))
          })
        )
        return { ...ServiceAccount.toDetail(account), token: Redacted.value(token) }
      }),
      list: Effect.fn("ServiceAccounts.list")(function*({ query }) {
        const found = yield* accounts.list(
          { includeRevoked: query.include_revoked },
          query,
          sortOf(query.sort_by, query.sort_order)
        ).pipe(Effect.mapError(storageUnavailable))
        return { data: found.accounts.map(ServiceAccount.toDetail), meta: Pagination.meta(query, found.total) }
      }),
      revoke: Effect.fn("ServiceAccounts.revoke")(function*({ params }) {
        yield* accounts.revoke(yield* CurrentPrincipal, params.service_account_id).pipe(
          Effect.catchTags({
            ServiceAccountNotFound: (error) => Effect.fail(Errors.notFound(error.message)),
            StorageUnavailable: (error) => Effect.fail(storageUnavailable(error))
          })
        )
      })
    })
  })
)
