// # Express in front of the service
// Pages and servers
//
// An application of Express checks its own users, and calls an agent in their name. The run belongs to the user, and so
// do its session and its limits.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   npm run node -- packages/examples/src/recipes/express.js
//   curl -sN localhost:3000/ask -H 'x-user: ann' -H 'content-type: application/json' -d '{"message": "Hello"}'
//
// Change: replace the header by your login, and give the client a token of the service.
import { Svc } from "@svc-runtime/client"
import express from "express"

/** @param {string} baseUrl */
export const applicationFor = (baseUrl) => {
  const svc = new Svc({ baseUrl })
  const application = express()
  application.use(express.json())
  application.post("/ask", (request, response, next) => {
    const user_id = request.get("x-user")
    if (user_id === undefined) return response.status(401).json({ detail: "Sign in first" })
    const input = { message: String(request.body.message), user_id, session_id: `web-${user_id}` }
    const answer = async () => {
      response.type("text/plain")
      for await (const text of svc.agent("assistant").text(input)) response.write(text)
      response.end()
    }
    answer().catch(next)
  })
  return application
}

if (import.meta.main) applicationFor("http://127.0.0.1:7777").listen(3000)
