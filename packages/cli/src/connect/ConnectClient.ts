// Connects one client: a working entry is kept; otherwise an entry is written, read back and verified. A failure
// affects only this client.
import { Cause, Effect, Redacted } from "effect"
import { revokeUnused, unusedNoteOf } from "../admin/ServiceAccounts.ts"
import type { Client } from "../clients/Client.ts"
import * as ServiceEntries from "../clients/ServiceEntries.ts"
import { sentencesOf } from "../CliError.ts"
import type { Verification } from "../mcp/Verification.ts"
import { check, type ClientState } from "./ClientState.ts"
import * as ClientTokens from "./ClientTokens.ts"
import type { Outcome } from "./ConnectRow.ts"
import { changes, currentEntries, reusableEntry } from "./CurrentEntry.ts"
import { isDefaultExpiry, type Plan } from "./Plan.ts"

const valueOf = (token: Redacted.Redacted | undefined): string | undefined =>
  token === undefined ? undefined : Redacted.value(token)

/** The token of the entry under the old name, or of the user, is kept when no flag asks for a new one. */
const reusable = Effect.fnUntraced(function*(subject: ClientState) {
  const { existing, legacy, ofUser, plan: { wanted } } = subject
  const asIs = wanted.name === undefined && !wanted.rotate && wanted.scopes.length === 0 &&
    isDefaultExpiry(wanted.expires)
  const token = legacy?.token ?? ofUser?.token
  if (token === undefined || existing !== undefined || !asIs) return undefined
  return (yield* check(subject, token)).ok ? token : undefined
})

const obtain = Effect.fnUntraced(function*(subject: ClientState) {
  const { client, plan, shared } = subject
  if (plan.minting === undefined) return undefined
  yield* ClientTokens.rehearse(plan, client)
  const reused = yield* reusable(subject)
  if (reused !== undefined) return { token: reused } satisfies ClientTokens.Token
  if (shared instanceof ClientTokens.AccountUnchanged) return yield* shared
  // the account is taken back when it is of no use to any client
  if (shared !== undefined) return { token: shared.token } satisfies ClientTokens.Token
  return (yield* ClientTokens.mint(plan, plan.minting, ClientTokens.accountName(client))) satisfies ClientTokens.Token
})

/** The client uses another entry than the written one. */
const shadowed = ({ client, plan }: ClientState, found: ServiceEntries.Found | undefined): string => {
  const instead = found === undefined
    ? "finds no entry"
    : `uses ${found.url} from ${found.scope.label}${found.url === plan.mcpUrl ? " with another token" : ""}`
  return `The write did not take effect: under ${plan.entryName} ${client.name} ${instead}; ` +
    "an entry of another scope may shadow it"
}

const isInEffect = (
  found: ServiceEntries.Found | undefined,
  url: string,
  token: Redacted.Redacted | undefined
): found is ServiceEntries.Found =>
  found?.url === url && (token === undefined || valueOf(found.token) === Redacted.value(token))

const succeeded = (subject: ClientState, verification: Verification) =>
  verification.oauth_challenge
    ? { status: "needs-login" as const, instructions: [subject.client.signIn(subject.plan.entryName)] }
    : { status: "connected" as const }

/** Reads an entry back and verifies it. */
const verified = Effect.fnUntraced(function*(subject: ClientState, token: Redacted.Redacted | undefined) {
  const { client, plan } = subject
  const found = yield* ServiceEntries.resolve(client, plan.entryName)
  if (!isInEffect(found, plan.mcpUrl, token)) {
    return { status: "failed", error: shadowed(subject, found) } satisfies Outcome
  }
  const verification = yield* check(subject, found.token)
  if (!verification.ok) {
    return { status: "failed", error: verification.error, verify: verification } satisfies Outcome
  }
  const outcome: Outcome = {
    ...succeeded(subject, verification),
    error: null,
    verify: verification,
    ...(yield* changes(subject, token))
  }
  return outcome
})

type Undo = ServiceEntries.Written["undo"]

/** `written` is called with what undoes the write. */
const install = Effect.fnUntraced(function*(
  subject: ClientState,
  token: Redacted.Redacted | undefined,
  written: (undo: Undo) => void
) {
  const { client, isNameTaken, plan } = subject
  const writing = ServiceEntries.write(client, {
    name: plan.entryName,
    url: plan.mcpUrl,
    token,
    isProject: plan.wanted.project
  })
  const { location, notes } = yield* Effect.uninterruptible(
    Effect.tap(writing, ({ undo }) => Effect.sync(() => written(undo)))
  )
  const { error, note, status, ...rest }: Outcome = yield* verified(subject, token)
  const remarks = [
    ...(isNameTaken ? [`Something else was called ${plan.entryName} and was replaced.`] : []),
    ...notes,
    ...(note ? [note] : [])
  ]
  return { status, error, location, ...rest, ...(remarks.length > 0 && { note: remarks.join(" ") }) } satisfies Outcome
})

/** The service gave no definite response: it is unreachable, busy or broken. The token may be good. */
export const isUndecided = ({ verify }: Outcome): boolean =>
  verify !== undefined && !verify.ok &&
  (verify.status_code === null || verify.status_code >= 500 || [408, 425, 429].includes(verify.status_code))

export const withNote = (outcome: Outcome, note: string): Outcome => ({
  ...outcome,
  note: outcome.note ? `${outcome.note} ${note}` : note
})

/** The token of an entry that does not work is revoked, and the entry is undone. */
const settledResult = Effect.fnUntraced(
  function*(subject: ClientState, outcome: Outcome, account: ClientTokens.Token["account"], undo: Undo) {
    const { minting } = subject.plan
    if (account === undefined || minting === undefined) return outcome
    if (outcome.status !== "failed") return { ...outcome, account }
    if (isUndecided(outcome)) {
      return withNote({ ...outcome, account }, "The entry and its token are kept: try again when the service responds.")
    }
    const isUndone = yield* Effect.isSuccess(undo)
    const taken = yield* revokeUnused(minting, account)
    const note = unusedNoteOf(taken)
    const left = `${note} Its entry is left: remove it with svc disconnect.`
    return withNote({ ...outcome, account: taken }, isUndone ? note : left)
  }
)

const renewed = Effect.fnUntraced(function*(subject: ClientState) {
  const obtained: ClientTokens.Token | undefined = yield* obtain(subject)
  const { minting } = subject.plan
  const account = obtained?.account
  let undo: Undo = Effect.void
  const installing = install(subject, obtained?.token, (undoing) => {
    undo = undoing
  })
  const outcome: Outcome = yield* installing.pipe(
    Effect.catchTag(
      "CommandFailed",
      (error) => Effect.succeed({ status: "failed" as const, error: sentencesOf(error) })
    ),
    // the account of a client that fails unexpectedly is taken back too
    Effect.catchCauseIf(Cause.hasDies, (cause) => Effect.succeed(unexpected(cause))),
    // after Ctrl-C the token is unverified
    Effect.onInterrupt(() =>
      account === undefined || minting === undefined
        ? Effect.void
        : Effect.andThen(Effect.ignore(undo), revokeUnused(minting, account))
    )
  )
  return yield* settledResult(subject, outcome, account, undo)
})

const connected = Effect.fnUntraced(function*(plan: Plan, client: Client, shared: ClientTokens.Shared | undefined) {
  const { existing, ofUser } = yield* currentEntries(plan, client)
  const legacy = plan.legacyName === undefined ? undefined : yield* ServiceEntries.resolve(client, plan.legacyName)
  const subject: ClientState = {
    plan,
    client,
    shared,
    existing,
    isNameTaken: existing === undefined && ofUser === undefined &&
      (yield* ServiceEntries.isTaken(client, plan.entryName)),
    legacy: legacy?.url === plan.mcpUrl ? legacy : undefined,
    ofUser: ofUser?.url === plan.mcpUrl ? ofUser : undefined
  }
  return (yield* reusableEntry(subject)) ?? (yield* renewed(subject))
})

const unexpected = (cause: Cause.Cause<unknown>): Outcome => {
  const defect = Cause.squash(cause)
  const kind = defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)
  return { status: "failed", error: `Unexpected failure: ${kind}` }
}

/** Leaving a prompt ends the command; other failures are the result of this client. */
export const connect = Effect.fn("ConnectClient.connect")((
  plan: Plan,
  client: Client,
  shared: ClientTokens.Shared | undefined
) =>
  connected(plan, client, shared).pipe(
    Effect.catchTags({
      AccountUnchanged: ({ message }) => Effect.succeed<Outcome>({ status: "skipped", error: message }),
      CommandFailed: (error) => Effect.succeed<Outcome>({ status: "failed", error: sentencesOf(error) })
    }),
    Effect.catchCauseIf(Cause.hasDies, (cause) => Effect.succeed(unexpected(cause)))
  )
)
