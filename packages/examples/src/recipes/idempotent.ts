// # Send a request twice, and run once
// Runs
//
// A request with an idempotency key starts one run, however often it is sent: after a timeout, after a crash of the
// caller, and from two processes at the same time.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   curl -s localhost:7777/agents/assistant/runs -H 'idempotency-key: order-17' -F message=Hello -F stream=false
//
// Change: use the id of what caused the request, such as that of an order or of a message in a queue.
import type { Svc } from "@svc-runtime/client"

export const confirmOrder = (svc: Svc, order: string) =>
  svc.agent("assistant").run(`Write the confirmation of order ${order}.`, { idempotencyKey: `confirm-${order}` })
