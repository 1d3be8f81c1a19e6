// OAuth for the MCP endpoint, decided at start: who issues access tokens, and what they are for.
import { type Algorithm, isAlgorithm } from "@svc-runtime/auth"
import * as Scope from "@svc-runtime/domain/Scope"
import type { AuthMode } from "@svc-runtime/domain/Service"
import { defaultScopes } from "@svc-runtime/domain/ServiceAccount"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { Redacted, Result } from "effect"

/** The options in code. Each one that is left out has the value of its environment variable. */
export interface McpOAuthOptions {
  /** `builtin`, or the issuer of an external authorization server, as its metadata spells it. */
  readonly server?: string | undefined
  /** Approves clients of the built-in server, like the credentials of the service. None when left out. */
  readonly connectSecret?: string | Redacted.Redacted | undefined
  /** Of the tokens of an external server. RS256 when left out. */
  readonly algorithm?: string | undefined
  /** A file with the keys of an external server. When left out, they are read where its metadata says. */
  readonly jwksFile?: string | undefined
  /** The claim of an external token with the scopes. `scope` when left out. */
  readonly scopesClaim?: string | undefined
  /**
   * The scopes that challenges name, so that clients request them, and the most that the built-in server grants. When
   * left out: none for an external server, those of new service accounts for the built-in one.
   */
  readonly scopes?: ReadonlyArray<string> | undefined
}

/** What the options take. */
export const kinds: AuthorOptions.Kinds<keyof McpOAuthOptions> = {
  server: "text",
  connectSecret: "key",
  algorithm: "text",
  jwksFile: "text",
  scopesClaim: "text",
  scopes: "list"
}

export interface ExternalServer {
  readonly _tag: "External"
  readonly algorithm: Algorithm
  readonly jwksFile: string | undefined
  readonly scopesClaim: string
}

/** The service itself. */
export interface BuiltInServer {
  readonly _tag: "BuiltIn"
  readonly connectSecret: Redacted.Redacted | undefined
}

export interface McpOAuth {
  /** As `Origin` headers have it, without a slash at the end. */
  readonly origin: string
  /** The URL of the MCP endpoint, which tokens name as their audience (RFC 8707). */
  readonly resource: string
  /** Clients compare it letter by letter. */
  readonly issuer: string
  readonly scopes: ReadonlyArray<string>
  readonly server: BuiltInServer | ExternalServer
}

/** Where the service can be reached. */
export interface Place {
  readonly host: string
  readonly port: number
  /** Undefined: on this machine only. */
  readonly publicUrl: string | undefined
  readonly isLoopback: boolean
  readonly mcpPath: string
  readonly isMcpEnabled: boolean
  readonly authMode: AuthMode
}

const loopback = ["localhost", "127.0.0.1", "[::1]"]

/** Whether a web address is encrypted, or does not leave this machine. */
export const isSafe = ({ hostname, protocol }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && loopback.includes(hostname))

const refused = (message: string) => Result.fail(message)

const originOf = ({ isLoopback, port, publicUrl }: Place): Result.Result<string, string> => {
  if (publicUrl === undefined) {
    return isLoopback && port > 0
      ? Result.succeed(`http://localhost:${port}`)
      : refused("MCP_OAUTH needs PUBLIC_URL: set it to the address under which clients reach the service")
  }
  const url = URL.parse(publicUrl)
  if (url === null || !isSafe(url)) {
    return refused(`MCP_OAUTH needs an https address in PUBLIC_URL (http on loopback only), not '${publicUrl}'`)
  }
  return url.pathname === "/" && url.search === "" && url.username === "" && url.hash === ""
    ? Result.succeed(url.origin)
    : refused(`MCP_OAUTH needs a PUBLIC_URL without a path, not '${publicUrl}'`)
}

const issuerOf = (server: string): Result.Result<string, string> => {
  const url = URL.parse(server)
  return url !== null && isSafe(url) && url.search === "" && url.hash === "" && url.username === ""
    ? Result.succeed(server)
    : refused(`MCP_OAUTH=${server} is not the https address of an issuer`)
}

const algorithmOf = (given = "RS256"): Result.Result<Algorithm, string> =>
  isAlgorithm(given) && !given.startsWith("HS")
    ? Result.succeed(given)
    : refused(
      `MCP_OAUTH_ALGORITHM=${given} is no algorithm with public keys. Set it to RS256, ES256, EdDSA or their kin`
    )

/** Whether a text can be one scope of a list (RFC 6749 §3.3). */
export const isScopeToken = (text: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)

const checkScopes = (scopes: ReadonlyArray<string>): Result.Result<ReadonlyArray<string>, string> => {
  const invalid = scopes.find((scope) => !isScopeToken(scope) || Scope.parse(scope) === undefined)
  return invalid === undefined ? Result.succeed(scopes) : refused(`MCP_OAUTH_SCOPES: '${invalid}' is no scope`)
}

const minSecretLength = 16

const builtIn = ({ connectSecret }: McpOAuthOptions, { authMode }: Place): Result.Result<BuiltInServer, string> => {
  if (connectSecret === undefined) {
    return authMode === "none"
      ? refused(
        "MCP_OAUTH=builtin needs MCP_CONNECT_SECRET, because the service has no credentials to approve clients with"
      )
      : Result.succeed({ _tag: "BuiltIn", connectSecret })
  }
  const secret = typeof connectSecret === "string" ? Redacted.make(connectSecret) : connectSecret
  return Redacted.value(secret).length < minSecretLength
    ? refused(`MCP_CONNECT_SECRET needs at least ${minSecretLength} characters`)
    : Result.succeed({ _tag: "BuiltIn", connectSecret: secret })
}

const external = (options: McpOAuthOptions): Result.Result<ExternalServer, string> =>
  Result.map(algorithmOf(options.algorithm), (algorithm) => ({
    _tag: "External",
    algorithm,
    jwksFile: options.jwksFile,
    scopesClaim: options.scopesClaim ?? "scope"
  }))

/** Undefined: OAuth is off. */
export const resolve = (options: McpOAuthOptions, place: Place): Result.Result<McpOAuth | undefined, string> =>
  Result.gen(function*() {
    const { server } = options
    if (server === undefined) return undefined
    if (!place.isMcpEnabled) return yield* refused("MCP_OAUTH protects the MCP endpoint, and MCP_ENABLED is false")
    const origin = yield* originOf(place)
    const isBuiltIn = server === "builtin"
    return {
      origin,
      resource: `${origin}${place.mcpPath}`,
      issuer: isBuiltIn ? `${origin}/` : yield* issuerOf(server),
      scopes: yield* checkScopes(options.scopes ?? (isBuiltIn ? defaultScopes : [])),
      server: isBuiltIn ? yield* builtIn(options, place) : yield* external(options)
    }
  })

/** Where the metadata of a resource or of an issuer is: before its path (RFC 8414 §3.1, RFC 9728 §3.1). */
export const wellKnown = (name: string, of: string): string => {
  const { origin, pathname } = new URL(of)
  return `${origin}/.well-known/${name}${pathname.replace(/(?<!\/)\/+$/, "")}`
}

/** The document about the MCP endpoint that challenges name. */
export const resourceMetadataUrl = ({ resource }: McpOAuth): string => wellKnown("oauth-protected-resource", resource)

/** OAuth inserts its name before the path of the issuer, and OpenID Connect appends it. */
export const metadataUrls = (issuer: string) => ({
  ofOAuth: wellKnown("oauth-authorization-server", issuer),
  ofOpenId: `${issuer.replace(/(?<!\/)\/+$/, "")}/.well-known/openid-configuration`
})

/** Clients look for metadata at paths that do not exist too, and need a 404. */
const metadataPaths = ["/.well-known/*", "/.well-known/*/*"]

/** Paths of OAuth without authentication. */
export const publicPaths = ({ server }: McpOAuth): ReadonlyArray<string> =>
  server._tag === "External"
    ? metadataPaths
    : [...metadataPaths, "/authorize", "/token", "/register", "/revoke", "/mcp-auth/consent"]
