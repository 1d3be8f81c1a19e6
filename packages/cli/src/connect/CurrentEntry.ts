// The existing entry of a client: what is kept, and what is replaced.
import { Effect, Redacted } from "effect"
import * as Registrations from "../clients/Registrations.ts"
import { sentencesOf } from "../CliError.ts"
import { check, type ClientState } from "./ClientState.ts"
import type { Outcome } from "./Row.ts"

/** Removes the entry of older versions, because a new one replaces it. */
export const cleaned = Effect.fnUntraced(function*({ client, plan: { legacyName, mcpUrl } }: ClientState) {
  if (legacyName === undefined) return {}
  return yield* Registrations.remove(client, { name: legacyName, isMeant: ({ url }) => url === mcpUrl }).pipe(
    Effect.map(({ locations }) => locations.length === 0 ? {} : { replaced_legacy: legacyName }),
    Effect.catchTag(
      "CommandFailed",
      (error) => Effect.succeed({ note: `The old entry ${legacyName} could not be removed: ${sentencesOf(error)}` })
    )
  )
})

/** The existing entry works: it has a token, or needs none. */
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

/** With --skip-existing: the existing entry is kept unchanged. */
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

/** The outcome if the existing entry is kept. Undefined if an entry must be written. */
export const reusableEntry = Effect.fnUntraced(function*(subject: ClientState) {
  const { existing, plan: { mcpUrl, wanted } } = subject
  const isHere = existing?.url === mcpUrl
  const outcome = isHere && !wanted.rotate ? yield* working(subject, existing) : undefined
  return outcome ?? (wanted.skipExisting ? untouched(subject) : undefined)
})

/** The outcome for the previous entry. */
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
