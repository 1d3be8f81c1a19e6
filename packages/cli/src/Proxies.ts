// The proxies and certificate authorities of the environment.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isLoopback } from "./discovery/Address.ts"
import type { Environment } from "./Environment.ts"

export type Variable = Environment["Service"]["variable"]

/** The value of a variable in lower case or upper case, as curl reads it. */
const either = (variable: Variable, name: string) => variable(name.toLowerCase()) ?? variable(name)

/** A proxy that is not supported must not be passed by: the network behind it may be watched. */
const proxyOf = (given: string): string => {
  const address = given.includes("://") ? given : `http://${given}`
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return address
  const scheme = /^[a-z0-9+.-]+(?=:\/\/)/i.exec(address)?.[0] ?? "this"
  throw new Error(`the proxy of the environment cannot be used: ${scheme} is not supported, only http and https`)
}

/** The options of Node's agents. ALL_PROXY applies to a scheme without a proxy. Throws for an unsupported proxy. */
export const proxiesFor = (url: URL, variable: Variable): Record<string, string | undefined> | undefined => {
  if (isLoopback(url.href)) return undefined
  const own = `${url.protocol.slice(0, -1).toUpperCase()}_PROXY`
  const proxy = either(variable, own) ?? either(variable, "ALL_PROXY")
  return proxy === undefined ? undefined : { [own]: proxyOf(proxy), NO_PROXY: either(variable, "NO_PROXY") }
}

const certificatesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => readFileSync(join(directory, entry.name), "utf8"))
    .filter((text) => text.includes("-----BEGIN CERTIFICATE-----"))

/** The authorities of SSL_CERT_FILE and SSL_CERT_DIR, beside those of node. Throws if they cannot be read. */
export const authorities = (variable: Variable): ReadonlyArray<string> => {
  const file = variable("SSL_CERT_FILE")
  const directories = variable("SSL_CERT_DIR")?.split(process.platform === "win32" ? ";" : ":") ?? []
  return [
    ...(file === undefined ? [] : [readFileSync(file, "utf8")]),
    ...directories.filter((directory) => directory !== "").flatMap(certificatesIn)
  ]
}

const unknownAuthority = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT"
])

/** Node advises an option of its own, which users of this tool do not set. */
export const explained = (cause: unknown): unknown =>
  cause instanceof Error && "code" in cause && unknownAuthority.has(String(cause.code))
    ? new Error("the authority of its certificate is unknown: name its file in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS")
    : cause
