// The existing entry of a client: what is kept, and what is replaced.
import { Effect, Redacted } from "effect"
import type { Client } from "../clients/Client.ts"
import * as Clients from "../clients/Clients.ts"
import * as ServiceEntries from "../clients/ServiceEntries.ts"
import type { EntryLocation } from "../clients/text/EntryFormat.ts"
import { sentencesOf } from "../CliError.ts"
import { check, type ClientState } from "./ClientState.ts"
import type { Outcome } from "./ConnectRow.ts"
import type { Plan } from "./Plan.ts"

/** Removes the entry of older versions, because a new one replaces it. */
export const cleaned = Effect.fnUntraced(function*({ client, plan: { legacyName, mcpUrl } }: ClientState) {
  if (legacyName === undefined) return {}
  return yield* ServiceEntries.remove(client, { names: [legacyName], isMeant: ({ url }) => url === mcpUrl }).pipe(
    Effect.map(({ locations }) => locations.length === 0 ? {} : { replaced_legacy: legacyName }),
    Effect.catchTag(
      "CommandFailed",
      (error) => Effect.succeed({ note: `The old entry ${legacyName} could not be removed: ${sentencesOf(error)}` })
    )
  )
})

/** The existing entry works: it has a token, or needs none. */
const working = Effect.fnUntraced(function*(subject: ClientState, { scope, token }: ServiceEntries.Found) {
  const verification = yield* check(subject, token)
  if (!verification.ok || (token === undefined && subject.plan.minting !== undefined)) return undefined
  const outcome: Outcome = {
    status: "already-connected",
    error: null,
    location: scope.label,
    verify: verification,
    ...(yield* cleaned(subject))
  }
  return outcome
})

/** The row of an existing entry that --skip-existing keeps unchanged. */
const untouched = (
  { existing, isNameTaken, plan: { entryName, mcpUrl, wanted } }: ClientState
): Outcome | undefined => {
  const skipped = (what: string): Outcome => ({
    status: "skipped",
    error: `${entryName} ${what} and was kept untouched`
  })
  if (existing === undefined) return isNameTaken ? skipped("is no service behind an address") : undefined
  return existing.url === mcpUrl
    ? skipped(wanted.rotate ? "exists" : "no longer verifies")
    : { ...skipped(`points at ${existing.url}`), location: existing.scope.label }
}

/** The outcome if the existing entry is kept. Undefined if an entry must be written. */
export const reusableEntry = Effect.fnUntraced(function*(subject: ClientState) {
  const { existing, plan: { mcpUrl, wanted } } = subject
  const isHere = existing?.url === mcpUrl
  const outcome = isHere && !wanted.rotate ? yield* working(subject, existing) : undefined
  return outcome ?? (wanted.skipExisting ? untouched(subject) : undefined)
})

/** The outcome for the previous entries: removes the one of older versions. */
export const changes = Effect.fnUntraced(function*(subject: ClientState, token: Redacted.Redacted | undefined) {
  const { existing, legacy, plan } = subject
  const isForeign = existing !== undefined && existing.url !== plan.mcpUrl
  const isRotated = existing?.token !== undefined && token !== undefined &&
    Redacted.value(existing.token) !== Redacted.value(token)
  const removal = yield* cleaned(subject)
  const hadToken = existing?.token !== undefined || ("replaced_legacy" in removal && legacy?.token !== undefined)
  return {
    ...(isRotated && { rotated: true as const }),
    ...(isForeign && { replaced_url: existing.url }),
    ...(token === undefined && hadToken && { replaced_token_entry: true as const }),
    ...removal
  }
})

/** The entry that the client uses. With --project the one of the project, and beside it the one of the user. */
export const currentEntries = Effect.fnUntraced(function*({ entryName, wanted }: Plan, client: Client) {
  if (!wanted.project) return { existing: yield* ServiceEntries.resolve(client, entryName), ofUser: undefined }
  const { project, user } = yield* Clients.layoutOf(client)
  const found = (yield* ServiceEntries.list(client)).filter(({ name }) => name === entryName)
  const ofFile = (file: string | undefined, place: EntryLocation) =>
    found.find(({ scope }) => scope.file === file && scope.place.join("\n") === place.join("\n"))
  return {
    existing: project && ofFile(project.file, project.place),
    ofUser: ofFile(user.file, user.place)
  }
})
