// Reads the token of a request from the header or cookie that the settings name.
import type { AuthSettings } from "@svc-runtime/auth"
import { Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"

const scheme = /^bearer(?:\s+|$)/i

const redacted = (text: string | undefined): Redacted.Redacted | undefined => {
  const token = text?.trim() ?? ""
  return token === "" ? undefined : Redacted.make(token, { label: "token" })
}

/** A value without the word Bearer is taken for the token itself, except where no token is required. */
const fromHeader = ({ headers }: HttpServerRequest.HttpServerRequest, { mode, tokenHeader }: AuthSettings) => {
  const value = headers[mode === "none" ? "authorization" : tokenHeader]?.trim()
  if (value === undefined || (mode === "none" && !scheme.test(value))) return undefined
  return redacted(value.replace(scheme, ""))
}

/** The token of an `Authorization: Bearer` header. */
export const bearer = ({ headers }: HttpServerRequest.HttpServerRequest): Redacted.Redacted | undefined => {
  const value = headers["authorization"]?.trim()
  return value === undefined || !scheme.test(value) ? undefined : redacted(value.replace(scheme, ""))
}

export const read = (
  request: HttpServerRequest.HttpServerRequest,
  settings: AuthSettings
): Redacted.Redacted | undefined => {
  if (settings.mode !== "jwt" || settings.tokenSource === "header") return fromHeader(request, settings)
  const fromCookie = () => redacted(request.cookies[settings.cookieName])
  return settings.tokenSource === "cookie" ? fromCookie() : fromHeader(request, settings) ?? fromCookie()
}

/** Whether the caller sent a credential on purpose. A browser sends a cookie with requests of any page. */
export const isShown = (request: HttpServerRequest.HttpServerRequest, settings: AuthSettings): boolean =>
  settings.tokenSource !== "cookie" && fromHeader(request, settings) !== undefined
