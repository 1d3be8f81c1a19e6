// # A route of Next.js that streams an answer
// Pages and servers
//
// The route keeps the token of the service on the server, and streams the text as the agent writes it. It is
// the route of the folder `app/api/ask`.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   curl -sN localhost:3000/api/ask -d '{"message": "Hello", "session": "first"}'
//
// Change: `stream` instead of `text` gives all events, with calls of tools and pauses.
import { Svc } from "@svc-runtime/client"

const svc = new Svc({ baseUrl: process.env["SVC_URL"] ?? "http://127.0.0.1:7777", token: process.env["SVC_TOKEN"] })

export const POST = async (request: Request) => {
  const { message, session } = await request.json()
  const texts = svc.agent("assistant").text({ message: String(message), session_id: String(session) })
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      for await (const text of texts) controller.enqueue(encoder.encode(text))
      controller.close()
    }
  })
  return new Response(body, { headers: { "content-type": "text/plain; charset=utf-8" } })
}
