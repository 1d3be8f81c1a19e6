// #region
import { Route, serve } from "@svc-runtime/server"
import { Schema } from "effect"

interface Order {
  readonly id: string
  readonly user: string | undefined
  readonly cents: number
}

const orders = new Map<string, Order>()

const read = Route.make({
  method: "GET",
  path: "/orders/:order_id",
  scope: "orders:read",
  summary: "An order",
  handle: ({ params, userId }) => {
    const order = orders.get(params.order_id)
    return order?.user === userId ? order : Route.failure(404, "Order not found")
  }
})

const place = Route.make({
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

serve({ routes: [read, place] })
// #endregion
