// Webhooks: addresses that the service calls when something happened. They are beyond the contract.
import * as Pagination from "@svc/domain/Pagination"
import * as Webhook from "@svc/domain/Webhook"
import * as WebhookDelivery from "@svc/domain/WebhookDelivery"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Conflict, Forbidden, Invalid, NotFound, Unavailable } from "./Errors.ts"
import * as Listing from "./Listing.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { requires } from "./RequiredScope.ts"

const webhook = { webhook_id: Webhook.Id }
const delivery = { ...webhook, delivery_id: WebhookDelivery.Id }
const pages = Listing.pages({ limit: 20, maximum: 100 })
const errors = [NotFound, Unavailable] as const

export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/webhooks", {
      query: pages,
      success: Pagination.page(Webhook.Webhook, "PaginatedWebhooks"),
      error: Unavailable
    })
      .annotateMerge(requires("webhooks:read"))
      .annotate(OpenApi.Identifier, "list_webhooks"),
    HttpApiEndpoint.post("create", "/webhooks", {
      payload: Webhook.Create,
      success: Webhook.Created.pipe(HttpApiSchema.status(201)),
      error: [Conflict, Forbidden, Invalid, Unavailable]
    })
      .annotateMerge(requires("webhooks:write"))
      .annotate(OpenApi.Identifier, "create_webhook"),
    HttpApiEndpoint.get("get", "/webhooks/:webhook_id", {
      params: webhook,
      success: Webhook.Webhook,
      error: errors
    })
      .annotateMerge(requires("webhooks:read"))
      .annotate(OpenApi.Identifier, "get_webhook"),
    HttpApiEndpoint.patch("update", "/webhooks/:webhook_id", {
      params: webhook,
      payload: Webhook.Patch,
      success: Webhook.Webhook,
      error: [...errors, Invalid]
    })
      .annotateMerge(requires("webhooks:write"))
      .annotate(OpenApi.Identifier, "update_webhook"),
    HttpApiEndpoint.delete("remove", "/webhooks/:webhook_id", {
      params: webhook,
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("webhooks:delete"))
      .annotate(OpenApi.Identifier, "delete_webhook"),
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:webhook_id/rotate-secret", {
      params: webhook,
      success: Webhook.Rotated,
      error: errors
    })
      .annotateMerge(requires("webhooks:write"))
      .annotate(OpenApi.Identifier, "rotate_webhook_secret"),
    HttpApiEndpoint.post("test", "/webhooks/:webhook_id/test", {
      params: webhook,
      success: WebhookDelivery.Delivery.pipe(HttpApiSchema.status(202)),
      error: [...errors, Conflict]
    })
      .annotateMerge(requires("webhooks:write"))
      .annotate(OpenApi.Identifier, "test_webhook"),
    HttpApiEndpoint.get("listDeliveries", "/webhooks/:webhook_id/deliveries", {
      params: webhook,
      query: { status: Schema.optionalKey(WebhookDelivery.Status), ...pages },
      success: Pagination.page(WebhookDelivery.Delivery, "PaginatedWebhookDeliveries"),
      error: errors
    })
      .annotateMerge(requires("webhooks:read"))
      .annotate(OpenApi.Identifier, "list_webhook_deliveries"),
    HttpApiEndpoint.get("getDelivery", "/webhooks/:webhook_id/deliveries/:delivery_id", {
      params: delivery,
      success: WebhookDelivery.Delivery,
      error: errors
    })
      .annotateMerge(requires("webhooks:read"))
      .annotate(OpenApi.Identifier, "get_webhook_delivery"),
    HttpApiEndpoint.post("redeliver", "/webhooks/:webhook_id/deliveries/:delivery_id/redeliver", {
      params: delivery,
      success: WebhookDelivery.Delivery.pipe(HttpApiSchema.status(202)),
      error: [...errors, Conflict]
    })
      .annotateMerge(requires("webhooks:write"))
      .annotate(OpenApi.Identifier, "redeliver_webhook_delivery")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "Addresses that the service calls when something happened. Beyond the contract"
    })
  )
{}
