// The sign-in of the console at the authorization server that issues the tokens of the service.
import type { AuthSettings } from "@svc-runtime/auth"
import { Result } from "effect"
import { isSafe } from "./McpOAuth.ts"

export interface ConsoleOAuth {
  /** As the metadata of the authorization server spells it. */
  readonly issuer: string
  /** Of a public client, whose redirect address is that of the console. */
  readonly clientId: string
  /** What tokens are for (RFC 8707), where the audience is an address. */
  readonly resource: string | undefined
}

/** Undefined: people paste a token. */
export const resolve = (
  clientId: string | undefined,
  { jwt: { audience = [], issuer }, mode }: AuthSettings
): Result.Result<ConsoleOAuth | undefined, string> => {
  if (clientId === undefined) return Result.succeed(undefined)
  const url = issuer === undefined ? null : URL.parse(issuer)
  return mode !== "jwt" || issuer === undefined || url === null || !isSafe(url)
    ? Result.fail("CONSOLE_OAUTH_CLIENT_ID needs AUTHORIZATION with JWT_ISSUER, the https address of the issuer")
    : Result.succeed({ issuer, clientId, resource: audience.find((each) => URL.canParse(each)) })
}

/** What the page reads before it signs in. */
export const documentOf = (oauth: ConsoleOAuth | undefined) => ({
  oauth: oauth === undefined
    ? null
    : { issuer: oauth.issuer, client_id: oauth.clientId, resource: oauth.resource ?? null }
})

/** The hosts that the page calls. */
export const sourcesOf = (oauth: ConsoleOAuth | undefined): string =>
  oauth === undefined ? "'self'" : `'self' ${new URL(oauth.issuer).origin}`
