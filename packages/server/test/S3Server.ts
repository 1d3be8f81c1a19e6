// A bucket on this machine that speaks the wire format of S3, and checks signatures on its own.
import { Effect } from "effect"
import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "hush", region: "eu-central-1" } as const

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text).digest()

/** Canonicalizes the decoded request anew, as S3 does. */
const isSigned = ({ headers, url = "" }: IncomingMessage): boolean => {
  const [, day = "", names = "", given] =
    /Credential=AKIDEXAMPLE\/(\d{8})\/eu-central-1\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/
      .exec(headers.authorization ?? "") ?? []
  const [path = "", query = ""] = url.split("?")
  const strict = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const again = (text: string) => strict(decodeURIComponent(text))
  const sorted = query.split("&").map((pair) => pair.split("=").map(again).join("=")).toSorted().join("&")
  const lines = names.split(";").map((name) => `${name}:${String(headers[name])}\n`).join("")
  const canonical = ["GET", path.split("/").map(again).join("/"), sorted, lines, names, sha256("")].join("\n")
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], `${day}/eu-central-1/s3/aws4_request`, sha256(canonical)]
  const key = ["eu-central-1", "s3", "aws4_request"].reduce<Uint8Array>(hmac, hmac("AWS4hush", day))
  return hmac(key, text.join("\n")).toString("hex") === given
}

const failed = (response: ServerResponse, status: number, code: string) =>
  response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)

const listed = (files: Readonly<Record<string, string>>, query: URLSearchParams, pageSize: number) => {
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""]
  const entries = new Map<string, string>()
  for (const key of Object.keys(files).toSorted()) {
    if (!key.startsWith(prefix)) continue
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length)
    const folder = end === -1 ? undefined : key.slice(0, end + delimiter.length)
    if (folder !== undefined) {
      entries.set(folder, `<CommonPrefixes><Prefix>${escape(folder)}</Prefix></CommonPrefixes>`)
    } else {
      const size = (files[key] ?? "").length
      const inner = `<Key>${escape(key)}</Key><LastModified>2026-11-20T10:00:00.000Z</LastModified><Size>${size}</Size>`
      entries.set(key, `<Contents>${inner}</Contents>`)
    }
  }
  const from = Number((query.get("continuation-token") ?? "next/0=").slice(5, -1))
  const page = [...entries.values()].slice(from, from + pageSize).join("")
  const isMore = entries.size > from + pageSize
  const next = isMore ? `<NextContinuationToken>next/${from + pageSize}=</NextContinuationToken>` : ""
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isMore}</IsTruncated>${next}${page}</ListBucketResult>`
}

/** The address of a service with the bucket `wiki`. Statuses come before its answers, as long as there are any. */
export const make = (files: Readonly<Record<string, string>>, pageSize = 2, statuses: Array<number> = []) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => {
        const server = createServer((request, response) => {
          const [path = "", query = ""] = (request.url ?? "").split("?")
          const status = statuses.shift()
          if (status !== undefined) return failed(response, status, "SlowDown")
          if (!isSigned(request)) return failed(response, 403, "SignatureDoesNotMatch")
          if (!path.startsWith("/wiki/")) return failed(response, 404, "NoSuchBucket")
          if (path === "/wiki/") return response.end(listed(files, new URLSearchParams(query), pageSize))
          const text = files[decodeURIComponent(path.slice("/wiki/".length))]
          if (text === undefined) return failed(response, 404, "NoSuchKey")
          return response.setHeader("content-type", "binary/octet-stream").end(text)
        })
        return new Promise<typeof server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)))
      }),
      (server) => Effect.sync(() => server.close().closeAllConnections())
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )
