// The requests for the endpoints of webhooks.
import { json, type Request, type Subject } from "./Subject.ts"

export const webhookRequests: Readonly<Record<string, (subject: Subject) => Request>> = {
  "GET /webhooks": () => ({ path: "/webhooks" }),
  "POST /webhooks": () => ({
    path: "/webhooks",
    init: json("POST", { url: "https://receiver.example/svc", events: ["run.completed"] })
  }),
  "GET /webhooks/:webhook_id": () => ({ path: "/webhooks/none" }),
  "PATCH /webhooks/:webhook_id": () => ({ path: "/webhooks/none", init: json("PATCH", { description: "a" }) }),
  "DELETE /webhooks/:webhook_id": () => ({ path: "/webhooks/none", init: { method: "DELETE" } }),
  "POST /webhooks/:webhook_id/rotate-secret": () => ({
    path: "/webhooks/none/rotate-secret",
    init: { method: "POST" }
  }),
  "POST /webhooks/:webhook_id/test": () => ({ path: "/webhooks/none/test", init: { method: "POST" } }),
  "GET /webhooks/:webhook_id/deliveries": () => ({ path: "/webhooks/none/deliveries" }),
  "GET /webhooks/:webhook_id/deliveries/:delivery_id": () => ({ path: "/webhooks/none/deliveries/none" }),
  "POST /webhooks/:webhook_id/deliveries/:delivery_id/redeliver": () => ({
    path: "/webhooks/none/deliveries/none/redeliver",
    init: { method: "POST" }
  })
}
