// Signature Version 4 of requests without a body, as S3 and the services that are compatible with it verify it.
import { DateTime } from "effect"
import { createHash, createHmac } from "node:crypto"

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
  readonly region: string
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text).digest()

/** The headers of a GET request. The URL is encoded as RFC 3986 says, and its query is sorted. */
export const headersOf = (url: URL, credentials: Credentials, millis: number): Readonly<Record<string, string>> => {
  const { accessKeyId, region, secretAccessKey, sessionToken } = credentials
  const time = DateTime.formatIso(DateTime.makeUnsafe(millis)).replace(/[-:]|\.\d{3}/g, "")
  const day = time.slice(0, 8)
  const payload = sha256("")
  const sent = {
    "x-amz-content-sha256": payload,
    "x-amz-date": time,
    ...(sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken })
  }
  const signed = Object.entries({ host: url.host, ...sent })
  const names = signed.map(([name]) => name).join(";")
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("")
  const canonical = ["GET", url.pathname, url.search.slice(1), lines, names, payload].join("\n")
  const scope = `${day}/${region}/s3/aws4_request`
  const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), "s3"), "aws4_request")
  const signature = hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")).toString("hex")
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  }
}
