// Creates tokens: an account for each client, or one that all share. Flags or an answer at the terminal decide whether
// an existing account is kept or replaced.
import { Data, Effect, Option, Redacted } from "effect"
import * as ServiceAccounts from "../admin/ServiceAccounts.ts"
import type { Client } from "../clients/Client.ts"
import * as ServiceEntries from "../clients/ServiceEntries.ts"
import { CommandFailed } from "../CliError.ts"
import { verify } from "../mcp/Verification.ts"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"
import type { Plan } from "./Plan.ts"

/** An account of this name exists, and is kept. */
export class AccountUnchanged extends Data.TaggedError("AccountUnchanged")<{ readonly message: string }> {}

/** A token, and its account if this command created it. */
export interface Token {
  readonly token: Redacted.Redacted
  readonly account?: ServiceAccounts.Account
}

const requestOf = ({ wanted }: Plan, name: string): ServiceAccounts.Request => ({
  name,
  scopes: wanted.scopes.length === 0 ? undefined : wanted.scopes,
  expires: wanted.expires.expires,
  privileged: wanted.privileged
})

const mayReplace = Effect.fnUntraced(function*({ wanted }: Plan, name: string) {
  if (wanted.rotate) return true
  const prompts = yield* Prompts
  if (!(yield* prompts.isInteractive)) {
    return yield* new CommandFailed({
      message: `Service account ${name} already exists`,
      hint: "Use --rotate to revoke it and make a new one, or --skip-existing to leave it alone."
    })
  }
  return yield* prompts.confirm(
    `Service account ${name} already exists. Revoke it and make a new token? Its tokens stop working for good.`,
    false
  )
})

const replaced = Effect.fnUntraced(function*(plan: Plan, access: ServiceAccounts.Access, name: string) {
  const active = yield* ServiceAccounts.findActive(access, name)
  if (Option.isSome(active)) yield* ServiceAccounts.revoke(access, active.value)
  return yield* ServiceAccounts.create(access, requestOf(plan, name)).pipe(
    Effect.catchTag("NameTaken", () =>
      Effect.fail(
        new CommandFailed({
          message: `Service account ${name} already exists and could not be replaced`,
          hint: "Run this again, or see who else makes it with svc tokens list."
        })
      ))
  )
})

export const mint = Effect.fn("ClientTokens.mint")(function*(plan: Plan, access: ServiceAccounts.Access, name: string) {
  const output = yield* Output
  const first = yield* output.waiting(
    `Making a token for ${name}`,
    ServiceAccounts.create(access, requestOf(plan, name)).pipe(
      Effect.map(Option.some),
      Effect.catchTag("NameTaken", () => Effect.succeedNone)
    )
  )
  if (Option.isSome(first)) return first.value
  const kept = new AccountUnchanged({ message: `service account ${name} already exists and was kept untouched` })
  if (plan.wanted.skipExisting || !(yield* mayReplace(plan, name))) return yield* kept
  return yield* output.waiting(`Replacing service account ${name}`, replaced(plan, access, name))
})

/** The token of the first client that has one that works here. */
const donated = Effect.fnUntraced(function*({ clients, entryName, mcpUrl }: Plan) {
  for (const client of clients) {
    const found = yield* ServiceEntries.resolve(client, entryName)
    if (found?.url !== mcpUrl || found.token === undefined) continue
    const { ok } = yield* verify({ url: mcpUrl, token: found.token, expectsChallenge: false })
    if (ok) return found.token
  }
  return undefined
})

const placeholder = Redacted.make("a token")

/** Fails if the entry of a client could not be written: then no account may be made or replaced. */
export const rehearse = ({ entryName, mcpUrl, wanted }: Plan, client: Client) =>
  ServiceEntries.rehearse(client, { name: entryName, url: mcpUrl, token: placeholder, isProject: wanted.project })

/** The token for all clients. There is none if the account that exists is kept. */
export type Shared = Token | AccountUnchanged

/** The token of --name for all clients. It is read from an entry, or created once if a client can be written. */
export const shared = Effect.fn("ClientTokens.shared")(function*(plan: Plan) {
  const { minting, wanted } = plan
  if (minting === undefined || wanted.name === undefined) return undefined
  const token = wanted.rotate ? undefined : yield* donated(plan)
  if (token !== undefined) return { token } satisfies Token
  const rehearsals = yield* Effect.forEach(plan.clients, (client) => Effect.isSuccess(rehearse(plan, client)))
  if (!rehearsals.includes(true)) return undefined
  const minted: Shared = yield* Effect.catchTag(mint(plan, minting, wanted.name), "AccountUnchanged", Effect.succeed)
  return minted
})

export const accountName = (client: Client): string => client.key
