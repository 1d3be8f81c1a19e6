// The tokens of an application that is registered with Microsoft Entra, by its client credentials.
import type { Redacted } from "effect"
import { Effect, Redacted as Hidden } from "effect"
import * as AccessToken from "./AccessToken.ts"
import * as SourceClient from "./SourceClient.ts"

export interface Application {
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string | Redacted.Redacted
  /** Default: `https://login.microsoftonline.com`. */
  readonly authority?: string | undefined
}

export const urlOf = (
  { authority, clientId, clientSecret, tenantId }: Application,
  invalid: (problem: string) => Error
): URL => {
  SourceClient.checkGiven({ clientId, clientSecret }, invalid)
  if (!/^[a-zA-Z0-9.-]+$/.test(tenantId)) throw invalid(`tenantId '${tenantId}' is no id of a tenant`)
  const base = SourceClient.urlOf(authority ?? "https://login.microsoftonline.com", invalid, "authority")
  return new URL(`${base.href.replace(/(?<!\/)\/+$/, "")}/${tenantId}/oauth2/v2.0/token`)
}

export const make = (
  send: SourceClient.Send,
  url: URL,
  { clientId, clientSecret }: Application,
  scope: string
): AccessToken.AccessToken => {
  const secret = SourceClient.hidden(clientSecret)
  return AccessToken.make(Effect.suspend(() =>
    AccessToken.oauth(send, url, {
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: Hidden.value(secret),
      scope
    })
  ))
}
