// A bucket on this machine that speaks the wire format of S3, and checks signatures on its own.
import { createHash, createHmac } from "node:crypto"
import { escapeXml as escape, type Files, listen, type Reply, type SourceRequest } from "./RemoteServer.ts"

export const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "hush", region: "eu-central-1" } as const

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text).digest()

/** Canonicalizes the decoded request anew, as S3 does. */
const isSigned = ({ headers, url }: SourceRequest): boolean => {
  const [, day = "", names = "", given] =
    /Credential=AKIDEXAMPLE\/(\d{8})\/eu-central-1\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/
      .exec(String(headers["authorization"])) ?? []
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

const failed = (status: number, code: string): Reply => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`
})

const listed = (files: Files, query: URLSearchParams, pageSize: number) => {
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
      const tag = createHash("md5").update(files[key] ?? "").digest("hex")
      const inner = `<Key>${escape(key)}</Key><LastModified>2026-11-20T10:00:00.000Z</LastModified>`
      entries.set(key, `<Contents>${inner}<ETag>&quot;${tag}&quot;</ETag><Size>${size}</Size></Contents>`)
    }
  }
  const from = Number((query.get("continuation-token") ?? "next/0=").slice(5, -1))
  const page = [...entries.values()].slice(from, from + pageSize).join("")
  const isMore = entries.size > from + pageSize
  const next = isMore ? `<NextContinuationToken>next/${from + pageSize}=</NextContinuationToken>` : ""
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isMore}</IsTruncated>${next}${page}</ListBucketResult>`
}

/** The address of a service with the bucket `wiki`. Planned responses come before its own. */
export const make = (files: Files, pageSize = 2, planned: Array<Reply> = []) =>
  listen((request) => {
    const { path, query } = request
    if (!isSigned(request)) return failed(403, "SignatureDoesNotMatch")
    if (!path.startsWith("/wiki/")) return failed(404, "NoSuchBucket")
    if (path === "/wiki/") return { body: listed(files, query, pageSize) }
    const text = files[decodeURIComponent(path.slice("/wiki/".length))]
    return text === undefined
      ? failed(404, "NoSuchKey")
      : { headers: { "content-type": "binary/octet-stream" }, body: text }
  }, planned)

/** A response of a service that has too much to do. */
export const busy = (status: number): Reply => failed(status, "SlowDown")
