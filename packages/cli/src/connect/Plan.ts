// The plan of `svc connect`, made before a file is written: the service, the name of its entries, the clients, and
// whether entries get tokens. An error of the request as a whole ends the command here.
import { Effect, Option } from "effect"
import * as AdminCredential from "../admin/AdminCredential.ts"
import * as OpenService from "../admin/OpenService.ts"
import type { Access } from "../admin/ServiceAccounts.ts"
import * as Trust from "../admin/Trust.ts"
import { addresses } from "../clients/Addresses.ts"
import type { Client } from "../clients/Client.ts"
import * as Clients from "../clients/Clients.ts"
import * as HostedApps from "../clients/HostedApps.ts"
import * as Selection from "../clients/Selection.ts"
import * as ServiceEntries from "../clients/ServiceEntries.ts"
import { CommandFailed } from "../CliError.ts"
import * as Discovery from "../discovery/Discovery.ts"
import type { Expiry } from "../Flags.ts"
import * as EntryName from "./EntryName.ts"

export interface ConnectOptions {
  readonly url: string | undefined
  readonly clients: string | undefined
  readonly name: string | undefined
  readonly scopes: ReadonlyArray<string>
  readonly expires: Expiry
  readonly privileged: boolean
  readonly pat: boolean
  readonly serverName: string | undefined
  readonly project: boolean
  readonly rotate: boolean
  readonly skipExisting: boolean
  readonly allowHttp: boolean
  readonly yes: boolean
}

export interface Plan {
  readonly wanted: ConnectOptions
  readonly service: Discovery.Descriptor
  readonly mcpUrl: string
  readonly entryName: string
  /** An entry of this name that points here is replaced by one of the new name. */
  readonly legacyName: string | undefined
  readonly clients: ReadonlyArray<Client>
  /** With --project: clients that have no files of projects. They are skipped. */
  readonly skipped: ReadonlyArray<Client>
  readonly apps: ReadonlyArray<HostedApps.HostedApp>
  /** The hosted apps were not requested. */
  readonly areAppsAutomatic: boolean
  /** Entries have no token: people sign in. */
  readonly isSignIn: boolean
  /** The credential that creates accounts. Undefined: entries get no tokens. */
  readonly minting: Access | undefined
}

const defaultExpiry = "90d"

export const isDefaultExpiry = ({ given }: Expiry): boolean => given === defaultExpiry

const disabled = (url: string) =>
  new CommandFailed({
    message: `MCP is not enabled on ${url}. Set MCP_ENABLED=true where it runs`,
    hint: "Start the service again after that, then run this again."
  })

const canSignIn = ({ mcp }: Discovery.Descriptor): boolean => (mcp.oauth?.authorization_servers.length ?? 0) > 0

/** Without tokens, flags about tokens have no meaning. */
const refuseTokenFlags = Effect.fnUntraced(function*(wanted: ConnectOptions) {
  const used = [
    ...(wanted.name === undefined ? [] : ["--name"]),
    ...(wanted.scopes.length === 0 ? [] : ["--scopes"]),
    ...(isDefaultExpiry(wanted.expires) ? [] : ["--expires"]),
    ...(wanted.privileged ? ["--privileged"] : [])
  ]
  if (used.length === 0) return
  return yield* new CommandFailed({
    message: `${used.join(", ")} cannot be used here: the MCP endpoint is protected by OAuth and no tokens are made`,
    hint: "Add --pat to connect with tokens of service accounts instead."
  })
})

/** The requested clients, or all installed ones. */
const select = Effect.fnUntraced(function*(
  { clients }: ConnectOptions,
  service: Discovery.Descriptor,
  mcpUrl: string
) {
  if (clients !== undefined) return { ...(yield* Selection.parse(clients)), areAppsAutomatic: false }
  const detected = yield* Clients.detected
  const isForApps = (service.auth_mode === "none" || canSignIn(service)) && HostedApps.isPublic(mcpUrl)
  const apps = isForApps ? HostedApps.all : []
  if (detected.length === 0 && apps.length === 0) {
    return yield* new CommandFailed({
      message: "No supported clients detected",
      hint: `Install one of ${Clients.all.map(({ name }) => name).join(", ")}, or name some with --clients.`
    })
  }
  return { clients: detected, apps, areAppsAutomatic: true }
})

const adviceFor = (service: Discovery.Descriptor): string => {
  if (canSignIn(service)) return " Or leave out --pat and sign in."
  if (service.mcp.oauth !== null) return " Or add --pat with such a token."
  return " Or leave out --pat to connect without a token."
}

/** Tokens are needed, and no credential can create them. */
const refuseDeadEnd = Effect.fnUntraced(function*(service: Discovery.Descriptor) {
  const advice = adviceFor(service)
  yield* OpenService.refuse(service, yield* AdminCredential.exported, advice)
  return yield* new CommandFailed({
    message: `There is no way to get a token for the MCP endpoint of ${service.url}`,
    hint: advice.trim()
  })
})

/** Decides whether entries get tokens of new accounts. */
const decideMinting = Effect.fnUntraced(function*(
  { pat }: ConnectOptions,
  service: Discovery.Descriptor,
  clients: ReadonlyArray<Client>
) {
  if (clients.length === 0 || (canSignIn(service) && !pat)) return false
  const exported = yield* AdminCredential.exported
  const hasToken = exported !== undefined && AdminCredential.isAccountToken(exported)
  const isMinting = service.auth_mode !== "none" || (pat && hasToken)
  if (!isMinting && (pat || service.mcp.oauth !== null)) return yield* refuseDeadEnd(service)
  return isMinting
})

/** The token of an existing entry would be sent, to verify it. */
const holdsToken = Effect.fnUntraced(
  function*(clients: ReadonlyArray<Client>, names: ReadonlyArray<string>, url: string) {
    const found = yield* Effect.findFirst(
      clients,
      (client) =>
        Effect.map(
          ServiceEntries.list(client),
          (entries) =>
            entries.some((entry) => names.includes(entry.name) && entry.url === url && entry.token !== undefined)
        )
    )
    return Option.isSome(found)
  }
)

const namesOf = ({ serverName, skipExisting }: ConnectOptions, service: Discovery.Descriptor) => {
  const entryName = serverName ?? EntryName.derived(service.name)
  const hasLegacy = serverName === undefined && entryName !== EntryName.legacy && !skipExisting
  return { entryName, legacyName: hasLegacy ? EntryName.legacy : undefined }
}

const hasNoProject = (client: Client) => Effect.map(Clients.layoutOf(client), ({ project }) => project === undefined)

/** A heading for people: the service that was found. */
export interface Target {
  readonly service: Discovery.Descriptor
  readonly mcpUrl: string
  readonly isSignIn: boolean
  readonly entryName: string
}

/** `announce` is called with the service before any question about it. */
export const make = Effect.fn("Plan.make")(function*<E, R>(
  wanted: ConnectOptions,
  announce: (target: Target) => Effect.Effect<void, E, R>
) {
  // an unknown client is an error of the command line, and is reported before errors of the service
  if (wanted.clients !== undefined) yield* Selection.parse(wanted.clients)
  const service = yield* Discovery.choose(wanted.url, yield* addresses(), "Connect to")
  yield* Trust.checkAddress(service, wanted.yes)
  if (!service.mcp.enabled) return yield* disabled(service.url)
  const mcpUrl = Discovery.mcpUrl(service)
  const isSignIn = canSignIn(service) && !wanted.pat
  if (isSignIn) yield* refuseTokenFlags(wanted)
  const names = namesOf(wanted, service)
  yield* announce({ service, mcpUrl, isSignIn, entryName: names.entryName })
  const selected = yield* select(wanted, service, mcpUrl)
  const skipped = wanted.project ? yield* Effect.filter(selected.clients, hasNoProject) : []
  const clients = selected.clients.filter((client) => !skipped.includes(client))
  const isMinting = yield* decideMinting(wanted, service, clients)
  const known = [names.entryName, ...(names.legacyName === undefined ? [] : [names.legacyName])]
  if (isMinting) yield* Trust.checkEncryption("the admin credential and new tokens", service.url, wanted.allowHttp)
  else if (yield* holdsToken(clients, known, mcpUrl)) {
    yield* Trust.checkEncryption("the token of an existing entry", service.url, wanted.allowHttp)
  }
  const minting = isMinting ? { url: service.url, token: yield* AdminCredential.resolve(service) } : undefined
  const plan: Plan = { wanted, service, mcpUrl, ...names, ...selected, clients, skipped, isSignIn, minting }
  return plan
})
