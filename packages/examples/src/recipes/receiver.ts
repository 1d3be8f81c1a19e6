// # Receive webhooks, and check their signatures
// Runs
//
// The service signs what it sends as the standard of Standard Webhooks says. The receiver checks the signature and the
// age, and handles each id once, because a delivery can arrive twice.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   curl -s localhost:7777/webhooks -H 'content-type: application/json' \
//     -d '{"url": "https://receiver.example/svc", "events": ["run.completed"]}'
//
// Change: keep the ids in your database, in the transaction that does the work.
import { createHmac, timingSafeEqual } from "node:crypto"

const isGenuine = (secret: string, headers: Headers, body: string, now: number) => {
  const [id, timestamp] = [headers.get("webhook-id"), headers.get("webhook-timestamp")]
  if (!(Math.abs(now / 1000 - Number(timestamp)) < 300)) return false
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest()
  return (headers.get("webhook-signature") ?? "").split(" ").some((signature) => {
    const given = Buffer.from(signature.replace("v1,", ""), "base64")
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

export const receiverOf = (secret: string, handle: (event: unknown) => void, now = Date.now) => {
  const seen = new Set<string>()
  return async (request: Request): Promise<Response> => {
    const body = await request.text()
    if (!isGenuine(secret, request.headers, body, now())) return new Response(null, { status: 401 })
    const id = request.headers.get("webhook-id") ?? ""
    if (!seen.has(id)) handle(JSON.parse(body))
    seen.add(id)
    return new Response(null, { status: 204 })
  }
}
