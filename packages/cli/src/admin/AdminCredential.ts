// The admin credential: from the environment, or from a hidden prompt.
import { Effect, Redacted } from "effect"
import { CommandFailed } from "../CliError.ts"
import { Environment } from "../Environment.ts"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"

export const variables = ["PLATFORM_ADMIN_TOKEN", "OS_SECURITY_KEY"] as const

/** The exported credential, if any. Files that are read into a variable often end with a line break. */
export const exported = Effect.map(Environment, ({ variable }) => {
  const found = variables.map((name) => variable(name)?.trim()).find(Boolean)
  return found === undefined ? undefined : Redacted.make(found)
})

/** The token of a service account: of this service, or of one with another prefix. */
export const isAccountToken = (credential: Redacted.Redacted): boolean =>
  /^[a-z0-9]+_pat_/.test(Redacted.value(credential))

/** Characters that a header cannot have. */
const isMalformed = (credential: Redacted.Redacted): boolean =>
  /[^\t\u0020-\u007E\u0080-\u00FF]/.test(Redacted.value(credential))

const malformed = new CommandFailed({
  message: "The admin credential is malformed: it has characters that a header cannot have",
  hint: `See whether ${variables.join(" or ")} has a line break or quotes too many.`
})

export const hint = `Export ${variables[0]} (or ${variables[1]}) with a credential of the service: ` +
  "a token with the admin scope, or its security key. Its operator has one."

/** A program that does not describe itself can be any other one. */
const required = (url: string, mode: string): string =>
  `${url} requires authentication (auth mode: ${mode}${
    mode === "unknown" ? "; is it the address of a service of Svc?" : ""
  })`

interface Service {
  readonly url: string
  readonly auth_mode: string
}

/** The exported credential, or a prompt if the service requires authentication; undefined if it requires none. */
export const resolve = Effect.fn("AdminCredential.resolve")(function*({ auth_mode: mode, url }: Service) {
  const found = yield* exported
  if (found !== undefined && isMalformed(found)) return yield* malformed
  if (found !== undefined || mode === "none") return found
  const prompts = yield* Prompts
  if (!(yield* prompts.isInteractive)) {
    return yield* new CommandFailed({ message: required(url, mode), hint })
  }
  const output = yield* Output
  yield* output.prompt(`${required(url, mode)}.`)
  yield* output.prompt(hint)
  return yield* prompts.hidden("Administrative credential")
})
