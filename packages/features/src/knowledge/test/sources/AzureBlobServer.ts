// A container on this machine that speaks the wire format of Azure Blob Storage, and checks each way to sign in.
import { createHash, createHmac } from "node:crypto"
import { escapeXml, type Files, listen, pageOf, type Reply, type SourceRequest } from "./RemoteServer.ts"

export const key = Buffer.from("the key of the account").toString("base64")
export const sas = "sv=2023-11-03&sp=rl&sig=a%2Bb%3D"

/** Canonicalizes the request anew. */
const isSigned = ({ headers, path, query }: SourceRequest): boolean => {
  const lines = [...query].map(([name, value]) => `${name}:${value}`).toSorted()
  const text = [
    "GET",
    ...Array.from({ length: 11 }, () => ""),
    `x-ms-date:${String(headers["x-ms-date"])}`,
    `x-ms-version:${String(headers["x-ms-version"])}`,
    `/company${path}`,
    ...lines
  ].join("\n")
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64")
  return headers["authorization"] === `SharedKey company:${signature}`
}

const mayRead = (request: SourceRequest, issued: ReadonlyArray<string>): boolean =>
  isSigned(request) || request.url.endsWith(sas) ||
  (issued.length > 0 && request.headers["authorization"] === `Bearer ${issued.at(-1)}`)

const failed = (status: number, code: string): Reply => ({
  status,
  body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code></Error>`
})

/** The tokens of an application, as Microsoft issues them. */
export const token = ({ body, path }: SourceRequest, scope: string, issued: Array<string>): Reply | undefined => {
  if (path !== "/tenant/oauth2/v2.0/token") return undefined
  const form = new URLSearchParams(body)
  const isRight = form.get("client_secret") === "hush" && form.get("client_id") === "app" &&
    form.get("grant_type") === "client_credentials" && form.get("scope") === scope
  if (!isRight) return { status: 401, body: { error: "invalid_client" } }
  issued.push(`token-${issued.length + 1}`)
  return { body: { access_token: issued.at(-1), expires_in: 3599, token_type: "Bearer" } }
}

export const make = (files: Files, planned: Array<Reply> = [], issued: Array<string> = []) =>
  listen(
    (request) => {
      const { path, query } = request
      const given = token(request, "https://storage.azure.com/.default", issued)
      if (given !== undefined) return given
      if (!mayRead(request, issued)) {
        return failed(request.headers["authorization"]?.includes("Bearer") === true ? 401 : 403, "AuthenticationFailed")
      }
      if (path !== "/wiki" && !path.startsWith("/wiki/")) return failed(404, "ContainerNotFound")
      if (path !== "/wiki") {
        const text = files[decodeURIComponent(path.slice("/wiki/".length))]
        return text === undefined ? failed(404, "BlobNotFound") : { body: text }
      }
      const matching = Object.keys(files).filter((key) => key.startsWith(query.get("prefix") ?? ""))
      const { keys, next } = pageOf(matching, Number(query.get("marker") ?? 0))
      const blobs = keys.map((name) => {
        const text = files[name] ?? ""
        const tag = `<Etag>0x${createHash("md5").update(text).digest("hex")}</Etag>`
        const properties = `${tag}<Content-Length>${Buffer.byteLength(text)}</Content-Length>`
        return `<Blob><Name>${escapeXml(name)}</Name><Properties>${properties}</Properties></Blob>`
      })
      const inner = `<Blobs>${blobs.join("")}</Blobs><NextMarker>${next ?? ""}</NextMarker>`
      return { body: `<?xml version="1.0"?><EnumerationResults ContainerName="wiki">${inner}</EnumerationResults>` }
    },
    planned,
    ({ path }) => !path.endsWith("/token")
  )
