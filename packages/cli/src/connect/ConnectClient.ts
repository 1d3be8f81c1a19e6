// Connecting one client: what stands in its config is kept when it works, else an entry is written, read back as the client
// would read it, and tried out. Whatever goes wrong is the outcome of this client and of no other.
import { Cause, Effect, Redacted } from "effect"
import type { Client } from "../clients/Client.ts"
import * as Registrations from "../clients/Registrations.ts"
import type { CommandFailed } from "../CliError.ts"
import { type Verification, verify } from "../mcp/Verification.ts"
import { Output } from "../Output.ts"
import * as Minting from "./Minting.ts"
import { isDefaultExpiry, type Plan } from "./Plan.ts"
import type { Outcome } from "./Row.ts"

type Found = Registrations.Found

interface Subject {
  readonly plan: Plan
  readonly client: Client
  readonly shared: Redacted.Redacted | undefined
  /** What the client has under the name. */
  readonly existing: Found | undefined
  /** What it has under the name of older versions, if that is this service. */
  readonly legacy: Found | undefined
}

const valueOf = (token: Redacted.Redacted | undefined): string | undefined =>
  token === undefined ? undefined : Redacted.value(token)

const check = ({ client, plan }: Subject, token: Redacted.Redacted | undefined) =>
  Effect.flatMap(Output, (output) =>
    output.waiting(
      `Trying out ${client.name}`,
      verify({ url: plan.mcpUrl, token, expectsChallenge: plan.isSignIn && token === undefined })
    ))

/** Takes the entry of older versions out, now that there is another. */
const cleaned = Effect.fnUntraced(function*({ client, plan: { legacyName, mcpUrl } }: Subject) {
  if (legacyName === undefined) return {}
  return yield* Registrations.remove(client, { name: legacyName, isMeant: ({ url }) => url === mcpUrl }).pipe(
    Effect.map(({ locations }) => locations.length === 0 ? {} : { replaced_legacy: legacyName }),
    Effect.catchTag(
      "CommandFailed",
      ({ message }) => Effect.succeed({ note: `The old entry ${legacyName} could not be removed: ${message}` })
    )
  )
})

/** What is to be said when the entry that is there stays as it is; undefined when another one is to be written. */
const kept = Effect.fnUntraced(function*(subject: Subject): Effect.fn.Return<
  Outcome | undefined,
  never,
  Effect.Services<ReturnType<typeof cleaned> | ReturnType<typeof check>>
> {
  const { existing, plan } = subject
  const { rotate, skipExisting } = plan.wanted
  if (existing === undefined) return undefined
  const location = existing.scope.label
  if (existing.url !== plan.mcpUrl) {
    return skipExisting
      ? { status: "skipped", error: `${plan.entryName} points at ${existing.url} and was kept untouched`, location }
      : undefined
  }
  if (!rotate) {
    const verification = yield* check(subject, existing.token)
    if (verification.ok && (existing.token !== undefined || plan.minting === undefined)) {
      return { status: "already-connected", error: null, location, verify: verification, ...(yield* cleaned(subject)) }
    }
  }
  return skipExisting
    ? { status: "skipped", error: `${plan.entryName} no longer verifies and was kept untouched` }
    : undefined
})

/** The token of the entry under the old name serves on, when nothing was said about what a new one should be like. */
const reusable = Effect.fnUntraced(function*(subject: Subject) {
  const { existing, legacy, plan: { wanted } } = subject
  const asIs = wanted.name === undefined && !wanted.rotate && wanted.scopes.length === 0 &&
    isDefaultExpiry(wanted.expires)
  if (legacy?.token === undefined || existing !== undefined || !asIs) return undefined
  return (yield* check(subject, legacy.token)).ok ? legacy.token : undefined
})

const obtain = Effect.fnUntraced(function*(subject: Subject) {
  const { client, plan, shared } = subject
  if (plan.minting === undefined) return undefined
  const reused = yield* reusable(subject)
  if (reused !== undefined) return { token: reused } satisfies Minting.Token
  if (shared !== undefined) return { token: shared } satisfies Minting.Token
  return (yield* Minting.mint(plan, plan.minting, Minting.accountName(client))) satisfies Minting.Token
})

/** The client goes on using something else than what was written. */
const shadowed = ({ client, plan }: Subject, found: Found | undefined): string => {
  const instead = found === undefined
    ? "finds no entry"
    : `uses ${found.url} from ${found.scope.label}${found.url === plan.mcpUrl ? " with another token" : ""}`
  return `The write did not take effect: under ${plan.entryName} ${client.name} ${instead}; ` +
    "an entry of another scope may shadow it"
}

const isInEffect = (found: Found | undefined, url: string, token: Redacted.Redacted | undefined): found is Found =>
  found?.url === url && (token === undefined || valueOf(found.token) === Redacted.value(token))

/** What became of the entry that was there before. */
const changes = ({ existing, legacy, plan }: Subject, token: Redacted.Redacted | undefined) => {
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

const succeeded = (subject: Subject, verification: Verification) =>
  verification.oauth_challenge
    ? { status: "needs-login" as const, instructions: [subject.client.signIn(subject.plan.entryName)] }
    : { status: "connected" as const }

const install = Effect.fnUntraced(function*(subject: Subject, token: Redacted.Redacted | undefined) {
  const { client, plan } = subject
  const { location, notes } = yield* Registrations.write(client, {
    name: plan.entryName,
    url: plan.mcpUrl,
    token,
    isProject: plan.wanted.project
  })
  const note = notes.length === 0 ? {} : { note: notes.join(" ") }
  const found = yield* Registrations.resolve(client, plan.entryName)
  if (!isInEffect(found, plan.mcpUrl, token)) {
    return { status: "failed", error: shadowed(subject, found), location, ...note } satisfies Outcome
  }
  const verification = yield* check(subject, found.token)
  if (!verification.ok) {
    return { status: "failed", error: verification.error, location, verify: verification, ...note } satisfies Outcome
  }
  const cleanup = yield* cleaned(subject)
  const said = [...notes, ...("note" in cleanup ? [cleanup.note] : [])]
  const outcome: Outcome = {
    ...succeeded(subject, verification),
    error: null,
    location,
    verify: verification,
    ...changes(subject, token),
    ...cleanup,
    ...(said.length > 0 && { note: said.join(" ") })
  }
  return outcome
})

const sentence = ({ hint, message }: CommandFailed): string => hint === undefined ? message : `${message} ${hint}`

/** Nobody has a token that was made for an entry that does not work: it is taken back. */
const settled = Effect.fnUntraced(function*(subject: Subject, outcome: Outcome, account: Minting.Token["account"]) {
  const { minting } = subject.plan
  if (account === undefined || minting === undefined) return outcome
  if (outcome.status !== "failed") return { ...outcome, account }
  const taken = yield* Minting.takeBack(minting, account)
  const note = taken.revoked_at === null
    ? `Service account ${account.name} is left without use: revoke it with svc tokens revoke ${account.name}.`
    : `Service account ${account.name} was revoked again.`
  return { ...outcome, account: taken, note: outcome.note ? `${outcome.note} ${note}` : note }
})

const renewed = Effect.fnUntraced(function*(subject: Subject) {
  const token = yield* obtain(subject)
  const outcome: Outcome = yield* install(subject, token?.token).pipe(
    Effect.catchTag("CommandFailed", (error) => Effect.succeed({ status: "failed" as const, error: sentence(error) }))
  )
  return yield* settled(subject, outcome, token !== undefined && "account" in token ? token.account : undefined)
})

const connected = Effect.fnUntraced(function*(plan: Plan, client: Client, shared: Redacted.Redacted | undefined) {
  const existing = yield* Registrations.resolve(client, plan.entryName)
  const legacy = plan.legacyName === undefined ? undefined : yield* Registrations.resolve(client, plan.legacyName)
  const subject: Subject = {
    plan,
    client,
    shared,
    existing,
    legacy: legacy?.url === plan.mcpUrl ? legacy : undefined
  }
  return (yield* kept(subject)) ?? (yield* renewed(subject))
})

/** Leaving a prompt ends the run; everything else is the outcome of this client. */
export const connect = Effect.fn("ConnectClient.connect")((
  plan: Plan,
  client: Client,
  shared: Redacted.Redacted | undefined
) =>
  connected(plan, client, shared).pipe(
    Effect.catchTags({
      KeptUntouched: ({ message }) => Effect.succeed<Outcome>({ status: "skipped", error: message }),
      CommandFailed: (error) => Effect.succeed<Outcome>({ status: "failed", error: sentence(error) })
    }),
    Effect.catchCauseIf(Cause.hasDies, (cause) => {
      const defect = Cause.squash(cause)
      const kind = defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)
      return Effect.succeed<Outcome>({ status: "failed", error: `Unexpected failure: ${kind}` })
    })
  )
)
