// docs/guides/routes.md: src/orders.ts of a project.
// #region
import { Route } from "@svc-runtime/server"
import { Schema } from "effect"

interface Order {
  readonly id: string
  readonly user: string | undefined
  readonly cents: number
}

const orders = new Map<string, Order>()

export const read = Route.make({
  method: "GET",
  path: "/orders/:order_id",
  scope: "orders:read",
  summary: "An order",
  handle: ({ params, userId }) => {
    const order = orders.get(params.order_id)
    if (order === undefined || order.user !== userId) return Route.failure(404, "Order not found")
    return order
  }
})

export const place = Route.make({
  method: "POST",
  path: "/orders",
  scope: "orders:write",
  body: Schema.Struct({ cents: Schema.Int }),
  handle: async ({ body, userId }) => {
    const order = { id: crypto.randomUUID(), user: userId, cents: body.cents }
    orders.set(order.id, order)
    return order
  }
})
// #endregion
