// The existing entry of a client: what is kept, and what is replaced.
import { Effect, Redacted } from "effect"
import * as Registrations from "../clients/Registrations.ts"
import { check, type ClientState } from "./ClientState.ts"
import type { Outcome } from "./Row.ts"

/** Takes the entry of older versions out, now that there is another. */
export const cleaned = Effect.fnUntraced(function*({ client, plan: { legacyName, mcpUrl } }: ClientState) {
  if (legacyName === undefined) return {}
  return yield* Registrations.remove(client, { name: legacyName, isMeant: ({ url }) => url === mcpUrl }).pipe(
    Effect.map(({ locations }) => locations.length === 0 ? {} : { replaced_legacy: legacyName }),
    Effect.catchTag(
      "CommandFailed",
      ({ message }) => Effect.succeed({ note: `The old entry ${legacyName} could not be removed: ${message}` })
    )
  )
})

/** The entry works as it is: with a token, or where it needs none. */
const working = Effect.fnUntraced(function*(subject: ClientState, { scope, token }: Registrations.Found) {
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

/** With --skip-existing: what is there stays, whatever it is. */
const untouched = ({ existing, isNameTaken, plan: { entryName, mcpUrl } }: ClientState): Outcome | undefined => {
  const skipped = (what: string): Outcome => ({
    status: "skipped",
    error: `${entryName} ${what} and was kept untouched`
  })
  if (existing === undefined) return isNameTaken ? skipped("is no service behind an address") : undefined
  return existing.url === mcpUrl
    ? skipped("no longer verifies")
    : { ...skipped(`points at ${existing.url}`), location: existing.scope.label }
}

/** The outcome when what is there stays; undefined when an entry is to be written. */
export const reusableEntry = Effect.fnUntraced(function*(subject: ClientState) {
  const { existing, plan: { mcpUrl, wanted } } = subject
  const isHere = existing?.url === mcpUrl
  const outcome = isHere && !wanted.rotate ? yield* working(subject, existing) : undefined
  return outcome ?? (wanted.skipExisting ? untouched(subject) : undefined)
})

/** What became of the entry that was there before. */
export const changes = ({ existing, legacy, plan }: ClientState, token: Redacted.Redacted | undefined) => {
  const isForeign = existing !== undefined && existing.url !== plan.mcpUrl
  const isRotated = !isForeign && existing?.token !== undefined && token !== undefined &&
    Redacted.value(existing.token) !== Redacted.value(token)
  const hadToken = existing?.token !== undefined || legacy?.token !== undefined
  return {
    ...(isRotated && { rotated: true as const }),
    ...(isForeign && { replaced_url: existing.url }),
    ...(token === undefined && hadToken && { replaced_token_entry: true as const })
  }
}
