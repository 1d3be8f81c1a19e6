// A bucket on this machine that speaks the wire format of Google Cloud Storage, with its tokens.
import { createHash, generateKeyPairSync, verify } from "node:crypto"
import { type Files, listen, pageOf, type Reply } from "./RemoteServer.ts"

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })

/** Of a service account whose tokens the server issues. */
export const keyFile = (endpoint: string) =>
  JSON.stringify({
    type: "service_account",
    client_email: "reader@company.example",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: `${endpoint}/token`
  })

export const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }))

/** The claims of a JWT with a valid signature. */
export const claimsOf = (jwt: string): { readonly [claim: string]: unknown } | undefined => {
  const [head = "", claims = "", signature = ""] = jwt.split(".")
  const isValid = verify("RSA-SHA256", Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, "base64url"))
  return isValid ? JSON.parse(Buffer.from(claims, "base64url").toString()) : undefined
}

const versionOf = (text: string) => String(createHash("md5").update(text).digest().readUInt32BE(0))

export const make = (files: Files, planned: Array<Reply> = [], issued: Array<string> = []) =>
  listen(
    ({ body, headers, origin, path, query }) => {
      if (path === "/token") {
        const form = new URLSearchParams(body)
        const claims = claimsOf(form.get("assertion") ?? "")
        const isRight = claims?.["iss"] === "reader@company.example" && claims["aud"] === `${origin}/token` &&
          Number(claims["exp"]) > Date.now() / 1000 &&
          claims["scope"] === "https://www.googleapis.com/auth/devstorage.read_only" &&
          form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer"
        if (!isRight) return { status: 400, body: { error: "invalid_grant" } }
        issued.push(`token-${issued.length + 1}`)
        return { body: { access_token: issued.at(-1), expires_in: 3600, token_type: "Bearer" } }
      }
      if (headers["authorization"] !== `Bearer ${issued.at(-1)}`) {
        return { status: 401, body: { error: { code: 401, message: "Invalid Credentials" } } }
      }
      if (!path.startsWith("/storage/v1/b/wiki/o")) return { status: 404, body: { error: { message: "Not Found" } } }
      if (path !== "/storage/v1/b/wiki/o") {
        const text = files[decodeURIComponent(path.slice("/storage/v1/b/wiki/o/".length))]
        return text === undefined || query.get("alt") !== "media"
          ? { status: 404, body: "No such object" }
          : { body: text, headers: { "content-type": "text/markdown" } }
      }
      const matching = Object.keys(files).filter((key) => key.startsWith(query.get("prefix") ?? ""))
      const { keys, next } = pageOf(matching, Number(query.get("pageToken") ?? 0))
      const items = keys.map((name) => ({
        name,
        size: String(Buffer.byteLength(files[name] ?? "")),
        generation: versionOf(files[name] ?? "")
      }))
      return { body: { items, ...(next === undefined ? {} : { nextPageToken: String(next) }) } }
    },
    planned,
    ({ path }) => path !== "/token"
  )
