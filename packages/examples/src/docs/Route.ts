import { Route, serve } from "@svc-runtime/server"

const orders = [{ id: "o1", user: "ana", cents: 1200 }]

serve({
  routes: [
    Route.make({
      method: "GET",
      path: "/orders/:order_id",
      scope: "orders:read",
      handle: ({ params, userId }) =>
        orders.find(({ id, user }) => id === params.order_id && user === userId) ??
          Route.failure(404, "Order not found")
    })
  ]
})
