// Webhooks: addresses that the service calls when something happened. They are beyond the contract.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { Conflict, Forbidden, Invalid, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Webhook from "./Webhook.ts"
import * as WebhookDelivery from "./WebhookDelivery.ts"

const webhook = { webhook_id: Webhook.Id }
const delivery = { ...webhook, delivery_id: WebhookDelivery.Id }
const pages = Listing.pages({ limit: 20, maximum: 100 })
const errors = [NotFound, Unavailable] as const

export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/webhooks", {
      query: pages,
      success: Pagination.page(Webhook.Shown, "PaginatedWebhooks"),
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
      success: Webhook.Shown,
      error: errors
    })
      .annotateMerge(requires("webhooks:read"))
      .annotate(OpenApi.Identifier, "get_webhook"),
    HttpApiEndpoint.patch("update", "/webhooks/:webhook_id", {
      params: webhook,
      payload: Webhook.Patch,
      success: Webhook.Shown,
      error: [...errors, Conflict, Invalid]
    })
      .annotateMerge(requires("webhooks:write"))
      .annotate(OpenApi.Identifier, "update_webhook"),
    HttpApiEndpoint.delete("remove", "/webhooks/:webhook_id", {
      params: webhook,
      success: HttpApiSchema.NoContent,
      error: [...errors, Conflict]
    })
      .annotateMerge(requires("webhooks:delete"))
      .annotate(OpenApi.Identifier, "delete_webhook"),
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:webhook_id/rotate-secret", {
      params: webhook,
      success: Webhook.Rotated,
      error: [...errors, Conflict]
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

export const texts: Texts = {
  operations: {
    list_webhooks: { summary: "List the webhooks", description: "Returns the webhooks, without their secrets." },
    create_webhook: {
      summary: "Create a webhook",
      description: "Stores an address that the service calls at events. The secret is shown only in this response.",
      body: { url: "https://example.com/hooks", events: ["run.completed"] }
    },
    get_webhook: { summary: "Get a webhook", description: "Returns one webhook, without its secret." },
    update_webhook: {
      summary: "Change a webhook",
      description: "Changes the fields that are sent. `enabled: true` starts a webhook that the service has disabled.",
      body: { enabled: true }
    },
    delete_webhook: {
      summary: "Delete a webhook",
      description: "Removes the webhook. Events that wait are not sent any more."
    },
    rotate_webhook_secret: {
      method: "rotateSecret",
      summary: "Replace the secret of a webhook",
      description: "Makes a new secret. The one before also signs for a while."
    },
    test_webhook: { summary: "Test a webhook", description: "Sends the event `webhook.test`, as the next delivery." },
    list_webhook_deliveries: {
      method: "deliveries",
      summary: "List the deliveries of a webhook",
      description: "Returns the calls of the webhook, the newest first."
    },
    get_webhook_delivery: {
      method: "delivery",
      summary: "Get a delivery",
      description: "Returns one delivery with the body that was sent."
    },
    redeliver_webhook_delivery: {
      method: "redeliver",
      summary: "Repeat a delivery",
      description: "Sends the event again, with the same id."
    }
  }
}
