// # A route of Hono that streams events
// Pages and servers
//
// Hono runs on Node, Bun, Deno and Workers. The client needs nothing but `fetch`, so the route works on each of them.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   npm run node -- packages/examples/src/recipes/hono.ts
//
// Change: `event.event` names all events: send calls of tools too, so that the page shows what the agent does.
import { Svc } from "@svc-runtime/client"
import { Hono } from "hono"
import { streamSSE } from "hono/streaming"

export const applicationFor = (baseUrl: string) => {
  const svc = new Svc({ baseUrl })
  return new Hono().get("/ask/:session", (context) => {
    const input = { message: context.req.query("message") ?? "Hello", session_id: context.req.param("session") }
    return streamSSE(context, async (stream) => {
      for await (const event of svc.agent("assistant").stream(input)) {
        if (event.event === "RunContent") await stream.writeSSE({ event: "text", data: event.text })
      }
      await stream.writeSSE({ event: "end", data: "" })
    })
  })
}

const application = applicationFor("http://127.0.0.1:7777")

if (import.meta.main) console.log(await (await application.request("/ask/first?message=Hello")).text())

export default application
