// Executes `svc disconnect`. Removing entries from configs needs no service and no credential. Accounts are revoked on
// request only; the service and the credential for that are checked before a file is written.
import { Effect, Option, Redacted } from "effect"
import * as AdminCredential from "../admin/AdminCredential.ts"
import * as ServiceAccounts from "../admin/ServiceAccounts.ts"
import * as Trust from "../admin/Trust.ts"
import { addresses } from "../clients/Addresses.ts"
import type { Client } from "../clients/Client.ts"
import * as Clients from "../clients/Clients.ts"
import * as Rows from "../clients/Rows.ts"
import * as Selection from "../clients/Selection.ts"
import * as ServiceEntries from "../clients/ServiceEntries.ts"
import { CommandFailed, sentencesOf } from "../CliError.ts"
import * as Discovery from "../discovery/Discovery.ts"
import { candidates } from "../discovery/ServiceCandidates.ts"
import type { Outcome as Ended } from "../Exit.ts"
import { Output } from "../terminal/Output.ts"

/** The result of disconnecting one client. */
export interface Row {
  /** The stable name. */
  readonly client: string
  /** The display name. */
  readonly name: string
  readonly status: "removed" | "not-found" | "failed" | "manual"
  readonly error: string | null
  /** The names of the entries. */
  readonly removed?: ReadonlyArray<string>
  readonly location?: string
  readonly instructions?: ReadonlyArray<string>
}

/** The result of revoking one account. */
export type Revocation = {
  readonly account: string
  readonly status: "revoked" | "not-found" | "failed"
  readonly error: string | null
}

const good: ReadonlyArray<string> = ["removed", "not-found"] satisfies ReadonlyArray<Row["status"]>

export const endingOf = (rows: ReadonlyArray<Row>, revocations: ReadonlyArray<Revocation>): Ended => {
  const ending = Rows.endingOf(rows.map(({ status }) => status), (status) => good.includes(status))
  return ending === "ok" && revocations.some(({ status }) => status === "failed") ? "partial" : ending
}

// The entries of a service: their address is the address of the service, or a path below it.
interface Parts {
  readonly origin: string
  readonly path: string
}

/** Compared as text: two names of one machine can lead to two services. */
const partsOf = (address: string): Parts | undefined => {
  const [, origin, rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)/i.exec(address) ?? []
  return origin === undefined ? undefined : { origin: origin.toLowerCase(), path: rest.replace(/(?<!\/)\/+$/, "") }
}

export const isAt = (target: string, address: string): boolean => {
  const wanted = partsOf(target)
  const given = partsOf(address)
  if (wanted === undefined || given === undefined || wanted.origin !== given.origin) return false
  return given.path === wanted.path || given.path.startsWith(`${wanted.path}/`)
}

export interface DisconnectOptions {
  readonly url: string | undefined
  readonly clients: string | undefined
  readonly serverName: string | undefined
  readonly name: string | undefined
  readonly revoke: boolean
  readonly allowHttp: boolean
  readonly yes: boolean
}

export interface Disconnected {
  readonly wanted: DisconnectOptions
  /** Null: no service responded, or none was called. */
  readonly service: Discovery.Descriptor | null
  readonly targets: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  readonly revocations: ReadonlyArray<Revocation>
  /** Tokens of removed entries were not revoked. */
  readonly leftTokens: boolean
}

const select = Effect.fnUntraced(function*(list: string | undefined) {
  if (list !== undefined) return yield* Selection.parse(list)
  const clients = yield* Clients.detected
  if (clients.length > 0) return { clients, apps: [] } satisfies Selection.Selection
  return yield* new CommandFailed({
    message: "No supported clients detected",
    hint: `Name those to disconnect with --clients: ${Clients.all.map(({ name }) => name).join(", ")}.`
  })
})

/** Revoking accounts needs the service. Removing entries does not. */
const discover = Effect.fnUntraced(function*({ revoke, serverName, url }: DisconnectOptions) {
  if (serverName !== undefined && !revoke) return null
  const found = Discovery.choose(url, yield* addresses(), "Disconnect from")
  return yield* revoke ? found : Effect.catchTag(found, "CommandFailed", () => Effect.succeed(null))
})

const targetsOf = Effect.fnUntraced(
  function*({ serverName, url }: DisconnectOptions, service: Discovery.Descriptor | null) {
    if (serverName !== undefined) return []
    return service === null ? (yield* candidates(url)).map((candidate) => candidate.url) : [service.url]
  }
)

const resolveAccess = Effect.fnUntraced(
  function*({ allowHttp, yes }: DisconnectOptions, service: Discovery.Descriptor) {
    yield* Trust.checkAddress(service, yes)
    const token = yield* AdminCredential.resolve(service)
    if (token !== undefined) yield* Trust.checkEncryption("the admin credential", service.url, allowHttp)
    return { url: service.url, token } satisfies ServiceAccounts.Access
  }
)

/** The entries of one client that are removed. */
const removalOf = Effect.fnUntraced(
  function*({ serverName }: DisconnectOptions, client: Client, targets: ReadonlyArray<string>) {
    if (serverName !== undefined) return { names: [serverName] }
    const isMeant = ({ url }: ServiceEntries.Found) => targets.some((target) => isAt(target, url))
    const found = yield* ServiceEntries.list(client)
    return { names: [...new Set(found.filter(isMeant).map(({ name }) => name))], isMeant }
  }
)

interface Taken {
  readonly row: Row
  /** The tokens of the removed entries. */
  readonly tokens: ReadonlyArray<Redacted.Redacted>
}

const disconnectOne = Effect.fnUntraced(function*(
  wanted: DisconnectOptions,
  client: Client,
  targets: ReadonlyArray<string>
) {
  const { key, name } = client
  const removal = yield* removalOf(wanted, client, targets)
  const { locations, names, tokens } = yield* ServiceEntries.remove(client, removal)
  const row: Row = names.length === 0
    ? { client: key, name, status: "not-found", error: null }
    : { client: key, name, status: "removed", error: null, removed: names, location: locations.join(", ") }
  return { row, tokens } satisfies Taken
})

const failedRow = ({ key, name }: Client, error: CommandFailed): Taken => ({
  row: { client: key, name, status: "failed", error: sentencesOf(error) },
  tokens: []
})

const revokeOne = Effect.fnUntraced(function*(access: ServiceAccounts.Access, account: string) {
  const output = yield* Output
  return yield* output.waiting(
    `Revoking ${account}`,
    Effect.gen(function*() {
      const found = yield* ServiceAccounts.findActive(access, account)
      if (Option.isNone(found)) return { account, status: "not-found", error: null } satisfies Revocation
      yield* ServiceAccounts.revoke(access, found.value)
      return { account, status: "revoked", error: null } satisfies Revocation
    })
  ).pipe(
    Effect.catchTag(
      "CommandFailed",
      (error) => Effect.succeed<Revocation>({ account, status: "failed", error: sentencesOf(error) })
    )
  )
})

/** Shorter beginnings of tokens are those of many accounts. */
const minPrefixLength = 12

/** The accounts, active or revoked, that one of the tokens can belong to. */
const ownersOf = (accounts: ReadonlyArray<ServiceAccounts.Account>, tokens: ReadonlyArray<Redacted.Redacted>) =>
  accounts.filter(({ token_prefix: prefix }) =>
    prefix.length >= minPrefixLength && tokens.some((token) => Redacted.value(token).startsWith(prefix))
  )

/** Other tools name accounts differently: without --name the owners of the removed tokens are revoked too. */
const revokeAll = Effect.fnUntraced(
  function*(
    access: ServiceAccounts.Access,
    wanted: DisconnectOptions,
    clients: ReadonlyArray<Client>,
    tokens: ReadonlyArray<Redacted.Redacted>
  ) {
    const names = accountsOf(wanted, clients)
    const accounts = tokens.length === 0 ? [] : yield* Effect.orElseSucceed(ServiceAccounts.list(access), () => [])
    const active = ownersOf(accounts, tokens).filter(({ revoked_at: revokedAt }) => revokedAt === null)
    const others = wanted.name === undefined
      ? active.map(({ name }) => name).filter((name) => !names.includes(name))
      : []
    const revocations = yield* Effect.forEach(
      [...names, ...others.toSorted()],
      (account) => revokeOne(access, account)
    )
    const isRevoked = ({ name, revoked_at: revokedAt }: ServiceAccounts.Account) =>
      revokedAt !== null || revocations.some(({ account, status }) => account === name && status === "revoked")
    const leftTokens = tokens.some((token) => {
      const owners = ownersOf(accounts, [token])
      return owners.length === 0 || !owners.every(isRevoked)
    })
    return { revocations, leftTokens }
  }
)

const accountsOf = ({ name }: DisconnectOptions, clients: ReadonlyArray<Client>): ReadonlyArray<string> =>
  name === undefined ? clients.map(({ key }) => key).toSorted() : [name]

const appRows = (apps: Selection.Selection["apps"]): ReadonlyArray<Row> =>
  apps.map(({ key, name, remove }) => ({
    client: key,
    name,
    status: "manual",
    error: null,
    instructions: [remove]
  }))

export const disconnect = Effect.fn("Disconnect.disconnect")(function*(wanted: DisconnectOptions) {
  const output = yield* Output
  // an unknown client is an error of the command line, and is reported before errors of the service
  if (wanted.clients !== undefined) yield* Selection.parse(wanted.clients)
  const service = yield* discover(wanted)
  const targets = yield* targetsOf(wanted, service)
  const { apps, clients } = yield* select(wanted.clients)
  const access = wanted.revoke && service !== null ? yield* resolveAccess(wanted, service) : undefined
  if (service === null && wanted.serverName === undefined) yield* output.line("No service responded.")
  if (targets.length > 0) yield* output.line(`Removing entries that point at ${targets.join(", ")}`)
  const taken = yield* Effect.forEach(clients, (client) =>
    disconnectOne(wanted, client, targets).pipe(
      Effect.catchTag("CommandFailed", (error) => Effect.succeed(failedRow(client, error)))
    ))
  const tokens = taken.flatMap(({ tokens }) => tokens)
  const { leftTokens, revocations } = access === undefined
    ? { leftTokens: tokens.length > 0, revocations: [] }
    : yield* revokeAll(access, wanted, clients, tokens)
  const disconnected: Disconnected = {
    wanted,
    service,
    targets,
    rows: [...taken.map(({ row }) => row), ...appRows(apps)],
    revocations,
    leftTokens
  }
  return disconnected
})
