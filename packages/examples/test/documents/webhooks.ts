// #region
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const { WEBHOOK_SECRET } = process.env
if (!WEBHOOK_SECRET) throw new Error("Set WEBHOOK_SECRET to the secret of the webhook")
const secret = Buffer.from(WEBHOOK_SECRET.replace("whsec_", ""), "base64")

/** Whether the call has a signature that fits, and is not older than five minutes. */
const isGenuine = (headers: NodeJS.Dict<string | Array<string>>, body: string): boolean => {
  const [id, timestamp] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])]
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false
  const expected = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest()
  return String(headers["webhook-signature"]).split(" ").some((signature) => {
    const given = Buffer.from(signature.replace("v1,", ""), "base64")
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const seen = new Set<string>()

createServer((request, response) => {
  const parts: Array<Buffer> = []
  request.on("data", (part: Buffer) => parts.push(part))
  request.on("end", () => {
    const body = Buffer.concat(parts).toString()
    if (!isGenuine(request.headers, body)) return response.writeHead(401).end()
    const id = String(request.headers["webhook-id"])
    if (!seen.has(id)) process.stdout.write(`${body}\n`)
    seen.add(id)
    return response.writeHead(204).end()
  })
}).listen(8080)
// #endregion
