// A card as a response that clients and proxies may keep.
import type * as Json from "@svc-runtime/domain/Json"
import { DateTime } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"

/** Seconds. */
const maxAge = 300

/** A card changes when the service starts again, or when its component is changed by requests. */
export const of = (
  { headers: sent }: HttpServerRequest.HttpServerRequest,
  card: Json.Object,
  startedAt: number
): HttpServerResponse.HttpServerResponse => {
  const text = JSON.stringify(card)
  const etag = `"${hash("sha256", text, "base64url").slice(0, 22)}"`
  const headers = {
    etag,
    "cache-control": `private, max-age=${maxAge}`,
    "last-modified": DateTime.toDateUtc(DateTime.makeUnsafe(startedAt)).toUTCString(),
    vary: "A2A-Version, Authorization"
  }
  return sent["if-none-match"] === etag
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.text(text, { contentType: "application/json", headers })
}
