// # Two nodes on one database
// Operation
//
// Nodes share a PostgreSQL and nothing else. Each of them shows, continues and cancels the runs of the other, and takes
// them over if the other stops.
//
// Try:
//   docker run -d -p 127.0.0.1:5432:5432 -e POSTGRES_PASSWORD=svc postgres:18
//   export DATABASE_URL=postgres://postgres:svc@127.0.0.1:5432/postgres   # in the next two terminals
//   npm run node -- packages/examples/src/recipes/limits.ts
//   PORT=7778 npm run node -- packages/examples/src/recipes/limits.ts
//   npm run node -- packages/examples/src/recipes/two-nodes.ts
//
// Change: `docker compose -f docker-compose.nodes.yml up --build` starts three nodes behind one port. A load
// balancer in front needs no sticky sessions. `NODE_TIMEOUT` is the time until a takeover.
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
