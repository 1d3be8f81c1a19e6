// # Two nodes on one database
// Operation
//
// Nodes share a PostgreSQL and nothing else. Each of them shows, continues and cancels the runs of the other, and takes
// them over if the other stops.
//
// Try:
//   docker compose -f docker-compose.nodes.yml up
//
// Change: a load balancer in front needs no sticky sessions. `NODE_TIMEOUT` is the time until a takeover.
import { Svc } from "@svc-runtime/client"

/** Starts a run on one node, and reads its events on the other. */
export const readOnTheOther = async (one: string, other: string) => {
  const run = await new Svc({ baseUrl: one }).agent("assistant").start("Hello")
  return new Svc({ baseUrl: other }).agent("assistant").watch(run).result()
}

if (import.meta.main) {
  const { status, text } = await readOnTheOther("http://127.0.0.1:7777", "http://127.0.0.1:7778")
  console.log(status, text)
}
