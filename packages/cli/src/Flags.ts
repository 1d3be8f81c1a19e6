// The flags that several commands share. The last of repeated flags counts.
import * as Json from "@svc-runtime/domain/Json"
import { defaultScopes } from "@svc-runtime/domain/ServiceAccount"
import { Option } from "effect"
import { Flag } from "effect/cli"
import { entryNameRule, isEntryName } from "./connect/EntryName.ts"

/** A flag without a value. */
export const toggle = (name: string, description: string, alias?: string): Flag.Flag<boolean> => {
  const flag = Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description))
  return (alias === undefined ? flag : Flag.withAlias(flag, alias)).pipe(
    Flag.atLeast(0),
    Flag.map((given) => given.length > 0)
  )
}

export const text = (
  name: string,
  metavar: string,
  description: string,
  alias?: string
): Flag.Flag<string | undefined> => {
  const flag = Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))
  return (alias === undefined ? flag : Flag.withAlias(flag, alias)).pipe(
    Flag.atLeast(0),
    Flag.map((given) => given.at(-1))
  )
}

/** The value, or the default. */
export const textOr = (name: string, metavar: string, otherwise: string, description: string, alias?: string) =>
  Flag.map(text(name, metavar, `${description} (default: ${otherwise})`, alias), (given) => given ?? otherwise)

const objectIn = (text: string | undefined): Option.Option<Json.Object | undefined> =>
  text === undefined ? Option.some(text) : Option.filter(Json.parse(text), Json.isObject)

export const object = (name: string, description: string) =>
  text(name, "JSON", `${description}, as a JSON object`).pipe(
    Flag.filterMap(objectIn, () => `Invalid --${name} value. Expected a JSON object`)
  )

export const json = toggle("json", "Print one JSON document and never ask")
/** An empty value counts as none, as that of an empty variable does. */
export const unlessEmpty = Flag.map((given: string | undefined) => given === "" ? undefined : given)

export const url = text("url", "URL", "Address of the service (default: found by itself)").pipe(unlessEmpty)
export const allowHttp = toggle("allow-http", "Send credentials over plain HTTP to another machine too")
export const yes = toggle("yes", "Trust an address that was read from an env file", "y")
export const clients = text(
  "clients",
  "LIST",
  "Comma-separated, of claude-code, claude-desktop, codex, cursor, claude.ai, chatgpt (default: those found here)"
)

/** How many entries a list has. */
export const limit = Flag.Int("limit").pipe(
  Flag.withMetavar("COUNT"),
  Flag.withDescription("How many to list, at most 100 (default: 20)"),
  Flag.atLeast(0),
  Flag.map((given) => given.at(-1) ?? 20),
  Flag.filter((count) => count >= 1 && count <= 100, () => "Invalid --limit value. Expected a number from 1 to 100")
)

/** The lifetime of a token, and its text: some commands check whether it was given. */
export interface Expiry {
  readonly given: string
  readonly expires: number | "never"
}

const expiryOf = (given: string): Option.Option<Expiry> => {
  const text = given.trim().toLowerCase()
  if (text === "never") return Option.some({ given, expires: "never" })
  const days = /^\d+d?$/.test(text) ? Number.parseInt(text) : 0
  return days >= 1 && Number.isSafeInteger(days) ? Option.some({ given, expires: days }) : Option.none()
}

export const expires = textOr("expires", "DAYS", "90d", "How long the token lasts: 90d, 30, or never").pipe(
  Flag.filterMap(expiryOf, (given) => `Invalid --expires value: ${given}. Expected a number of days (90d) or never`)
)

const scopesWith = (description: string) =>
  Flag.String("scopes").pipe(
    Flag.withAlias("s"),
    Flag.withMetavar("SCOPE"),
    Flag.withDescription(description),
    Flag.atLeast(0),
    // no scope has a comma
    Flag.map((given) => given.flatMap((text) => text.split(",")).map((scope) => scope.trim()))
  )

export const scopes = scopesWith(
  `Scopes to grant, with commas or repeated (default: ${defaultScopes.join(", ")})`
)

export const roleScopes = scopesWith("Scopes of the role, with commas or repeated (default: none)")

export const privileged = toggle("privileged", "Allow write, delete, admin and service_accounts scopes")

export const file = text(
  "file",
  "FILE",
  "Compose file (default: docker-compose.yml, docker-compose.yaml, compose.yml or compose.yaml, here or in ./infra)",
  "f"
).pipe(unlessEmpty)
export const pull = toggle("pull", "Fetch newer base images first", "p")
/** `Argv.ts` turns `-dr` into this, because the parser knows only single letters and long flags. */
export const dryRun = toggle("dry-run", "Print the command instead of running it")

/** The name of an entry in the configs of clients. */
export const entryName = (description: string) =>
  text("server-name", "NAME", description).pipe(
    Flag.filterMap(
      (name) => name === undefined || isEntryName(name) ? Option.some(name) : Option.none(),
      (name) => `Invalid --server-name: ${name}. ${entryNameRule}`
    )
  )
