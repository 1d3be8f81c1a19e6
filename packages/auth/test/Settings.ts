// How the tests of this package set a service up.
import { Redacted } from "effect"
import { type AuthSettings, defaultJwt, type JwtSettings, open } from "../src/AuthSettings.ts"

export const jwt = (
  fields: Partial<Omit<JwtSettings, "verificationKeys">> & { readonly keys?: ReadonlyArray<string> }
) => {
  const { keys = [], ...rest } = fields
  const settings: JwtSettings = { ...defaultJwt, ...rest, verificationKeys: keys.map((key) => Redacted.make(key)) }
  return settings
}

export const closed = (fields: Partial<AuthSettings>): AuthSettings => ({
  ...open,
  mode: "jwt",
  enforceScopes: true,
  userIsolation: true,
  ...fields
})
