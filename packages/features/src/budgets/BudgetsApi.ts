// Budgets: what requests to models may cost, and what is left. They are beyond the contract.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { Conflict, Invalid, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import { owner } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Budget from "./Budget.ts"

const params = { budget_id: Budget.Id }
const pages = Listing.pages({ limit: 20, maximum: 100 })
const errors = [NotFound, Unavailable] as const

export class Budgets extends HttpApiGroup.make("budgets")
  .add(
    HttpApiEndpoint.get("list", "/budgets", {
      query: { ...owner, ...pages },
      success: Pagination.page(Budget.Shown, "PaginatedBudgets"),
      error: Unavailable
    })
      .annotateMerge(requires("budgets:read"))
      .annotate(OpenApi.Identifier, "list_budgets"),
    HttpApiEndpoint.post("create", "/budgets", {
      payload: Budget.Create,
      success: Budget.Shown.pipe(HttpApiSchema.status(201)),
      error: [Conflict, Invalid, Unavailable]
    })
      .annotateMerge(requires("budgets:write"))
      .annotate(OpenApi.Identifier, "create_budget"),
    HttpApiEndpoint.get("get", "/budgets/:budget_id", {
      params,
      query: owner,
      success: Budget.Shown,
      error: errors
    })
      .annotateMerge(requires("budgets:read"))
      .annotate(OpenApi.Identifier, "get_budget"),
    HttpApiEndpoint.get("spending", "/budgets/:budget_id/spending", {
      params,
      query: { ...owner, ...pages },
      success: Pagination.page(Budget.Left, "PaginatedBudgetSpending"),
      error: errors
    })
      .annotateMerge(requires("budgets:read"))
      .annotate(OpenApi.Identifier, "get_budget_spending"),
    HttpApiEndpoint.patch("update", "/budgets/:budget_id", {
      params,
      payload: Budget.Patch,
      success: Budget.Shown,
      error: [...errors, Conflict]
    })
      .annotateMerge(requires("budgets:write"))
      .annotate(OpenApi.Identifier, "update_budget"),
    HttpApiEndpoint.delete("remove", "/budgets/:budget_id", {
      params,
      success: HttpApiSchema.NoContent,
      error: [...errors, Conflict]
    })
      .annotateMerge(requires("budgets:delete"))
      .annotate(OpenApi.Identifier, "delete_budget")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
  .annotateMerge(
    OpenApi.annotations({
      title: "Budgets",
      description: "What requests to models may cost in a day or a month. Beyond the contract"
    })
  )
{}

export const texts: Texts = {
  operations: {
    list_budgets: {
      summary: "List the budgets",
      description: "Returns the budgets with what is left of them. A user sees what is left of their own."
    },
    create_budget: {
      summary: "Create a budget",
      description: "Limits what requests to models cost. Runs beyond it are refused until it begins anew.",
      body: { name: "each user", scope: "user", period: "day", amount: 5 }
    },
    get_budget: { summary: "Get a budget", description: "Returns one budget with what is left of it." },
    get_budget_spending: {
      method: "spending",
      summary: "List what is left of a budget",
      description: "Returns what each user, component or run has spent in this period, the most first."
    },
    update_budget: {
      summary: "Change a budget",
      description:
        "Changes the fields that are sent. Runs that are executed get the new amount with their next request.",
      body: { amount: 10 }
    },
    delete_budget: {
      summary: "Delete a budget",
      description: "Removes the budget and what was counted for it. It limits nothing any more."
    }
  },
  fields: {
    budget_id: ["Id of the budget", "budget-1"],
    period: "Time after which the budget begins anew, in UTC. Null: never, for runs",
    amount: ["What requests to models may cost, in the currency", 5],
    currency: ["Code of the currency", "USD"],
    warn_at: ["Percent of the amount at which webhooks are called. Null: never", 80],
    unpriced: "What a request to a model without a price does: it is refused, costs nothing, or has this price",
    current: "What is left now. Null: the budget counts for each of several",
    spent: ["What requests have cost, in the currency", 1.25],
    reserved: ["What requests that are not answered yet may cost", 0.02],
    left: ["What further requests may cost", 3.73],
    resets_at: "Time at which the budget begins anew. Null: never",
    "BudgetComponent.id": ["Id of the component", "assistant"],
    "BudgetPrice.input": ["Price of a million input tokens in US dollars", 1],
    "BudgetPrice.output": ["Price of a million output tokens in US dollars", 4],
    "BudgetLeft.key": [
      "User, tenant, run, or kind and id of the component. Null: the service, or runs without a user",
      "ann"
    ],
    "BudgetCreate.name": ["Name of the budget", "each user"],
    "BudgetCreate.enabled": "Whether it limits anything",
    "BudgetCreate.scope": "What has the limit: each run, each user, each tenant, each component, or the service",
    "BudgetCreate.user_id": ["User whose runs it limits. Null: each user", "ann"],
    "BudgetCreate.component": "Component whose runs it limits. Null: each component",
    "BudgetDetail.id": ["Id of the budget", "budget-1"],
    "BudgetDetail.name": ["Name of the budget", "each user"],
    "BudgetDetail.enabled": "Whether it limits anything",
    "BudgetDetail.scope": "What has the limit: each run, each user, each tenant, each component, or the service",
    "BudgetDetail.user_id": ["User whose runs it limits. Null: each user", "ann"],
    "BudgetDetail.component": "Component whose runs it limits. Null: each component",
    "BudgetUpdate.name": ["Name of the budget", "each user"],
    "BudgetUpdate.enabled": "Whether it limits anything"
  }
}
