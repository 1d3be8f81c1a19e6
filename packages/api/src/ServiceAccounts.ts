// Service accounts: creating, listing and revoking the tokens of programs.
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Texts } from "./documentation/Texts.ts"
import { BadRequest, Conflict, NotFound, Unavailable } from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { FlagText } from "./query/FlagText.ts"
import * as Listing from "./query/Listing.ts"
import { withDefault } from "./query/QueryText.ts"
import { requires } from "./RequiredScope.ts"

export class ServiceAccounts extends HttpApiGroup.make("serviceAccounts")
  .add(
    HttpApiEndpoint.post("create", "/service-accounts", {
      headers: {
        "idempotency-key": Schema.optionalKey(
          Schema.String.annotate({
            description:
              "The same key makes no second account, for a day: the response is 409, because a token is shown once"
          })
        )
      },
      payload: ServiceAccount.Create,
      success: ServiceAccount.Minted.pipe(HttpApiSchema.status(201)),
      error: [BadRequest, Conflict, Unavailable]
    })
      .annotateMerge(requires("service_accounts:write"))
      .annotate(OpenApi.Identifier, "create_service_account"),
    HttpApiEndpoint.get("list", "/service-accounts", {
      query: {
        include_revoked: withDefault(FlagText, "true"),
        ...Listing.pages({ limit: 20, maximum: 100 }),
        sort_by: withDefault(Schema.String, "created_at"),
        sort_order: withDefault(Schema.String, "desc")
      },
      success: Pagination.page(ServiceAccount.Detail, "PaginatedServiceAccounts"),
      error: Unavailable
    })
      .annotateMerge(requires("service_accounts:read"))
      .annotate(OpenApi.Identifier, "get_service_accounts"),
    HttpApiEndpoint.delete("revoke", "/service-accounts/:service_account_id", {
      params: { service_account_id: ServiceAccount.Id },
      success: HttpApiSchema.NoContent,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("service_accounts:delete"))
      .annotate(OpenApi.Identifier, "revoke_service_account")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Service accounts", description: "Callers that are programs" }))
{}

export const texts: Texts = {
  operations: {
    create_service_account: {
      summary: "Create a service account",
      description: "Makes a token for a program. The token is shown only in this response.",
      body: { name: "bot", scopes: ["agents:run"] }
    },
    get_service_accounts: {
      summary: "List the service accounts",
      description: "Returns the accounts with their scopes, without their tokens."
    },
    revoke_service_account: {
      method: "revoke",
      summary: "Revoke a service account",
      description: "Makes the token useless at once. Open streams end at their next message."
    }
  }
}
