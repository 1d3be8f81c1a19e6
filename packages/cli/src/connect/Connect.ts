// Executes `svc connect`: the plan, then each client, then the instructions for hosted apps.
import { Effect } from "effect"
import * as ServiceAccounts from "../admin/ServiceAccounts.ts"
import { revokeUnused, unusedNoteOf } from "../admin/ServiceAccounts.ts"
import type { Client } from "../clients/Client.ts"
import * as Clients from "../clients/Clients.ts"
import * as HostedApps from "../clients/HostedApps.ts"
import { provenance } from "../discovery/ServiceCandidates.ts"
import { verify } from "../mcp/Verification.ts"
import { Mode } from "../Mode.ts"
import { Output } from "../terminal/Output.ts"
import { onOneLine } from "../terminal/Printable.ts"
import * as ClientTokens from "./ClientTokens.ts"
import * as ConnectClient from "./ConnectClient.ts"
import type { Outcome, Row } from "./ConnectRow.ts"
import * as Plan from "./Plan.ts"

export interface Connected {
  readonly plan: Plan.Plan
  readonly rows: ReadonlyArray<Row>
  /** Made by this command for all clients. */
  readonly sharedAccount: ServiceAccounts.Account | undefined
  /** A problem of the service itself. */
  readonly warning: string | null
}

const announce = Effect.fnUntraced(function*({ entryName, isSignIn, mcpUrl, service }: Plan.Target) {
  const output = yield* Output
  const { mcp, name, url, url_source: source, url_source_file: file, version } = service
  yield* output.heading(`Connecting to ${onOneLine(name ?? "the service")}`)
  yield* output.line(
    `Address: ${url}${version === null ? "" : ` (version ${onOneLine(version)})`}${provenance({ source, file })}`
  )
  yield* output.line(`MCP URL: ${mcpUrl}, as ${entryName}`)
  if (!isSignIn) return
  const others = (mcp.oauth?.authorization_servers ?? []).filter((server) => !isOrigin(url, server))
  yield* output.line(
    `Protected by OAuth${
      others.length === 0 ? "" : ` via ${onOneLine(others.join(", "))}`
    }: you sign in once for each app.`
  )
})

const isOrigin = (url: string, server: string): boolean =>
  URL.canParse(url) && URL.canParse(server) && new URL(url).origin === new URL(server).origin

/** A warning if tokens were requested but the service does not check them. */
const openWarning = "This service accepts MCP requests without any credential although it asks for one elsewhere: " +
  "everyone who reaches it can use its tools."

const warningFor = Effect.fnUntraced(function*({ mcpUrl, minting }: Plan.Plan) {
  if (minting === undefined) return null
  const { ok } = yield* verify({ url: mcpUrl, token: undefined, expectsChallenge: false })
  return ok ? openWarning : null
})

/** A wrong credential is reported before the first client; one that can only create accounts is sufficient. */
const checkCredential = Effect.fnUntraced(function*({ minting }: Plan.Plan) {
  const output = yield* Output
  if (minting === undefined || (yield* Mode) === "json") return
  const isAccepted = yield* output.waiting("Checking the credential", ServiceAccounts.checkMinting(minting))
  if (isAccepted) yield* output.line("The credential was accepted.")
})

/** These apps support signing in only: they cannot get a token. */
const howToAuthenticate = ({ isSignIn, service }: Plan.Plan): string => {
  if (isSignIn) return "You sign in when the app connects."
  return service.auth_mode === "none"
    ? "The app connects without signing in: leave its credentials empty."
    : "The app cannot send a token: it needs a service that lets people sign in by OAuth."
}

const appRows = (plan: Plan.Plan): ReadonlyArray<Row> =>
  plan.apps.map(({ add, key, name }) => ({
    client: key,
    name,
    status: "manual",
    error: null,
    url: plan.mcpUrl,
    instructions: ["The service has to be reachable from the internet over https.", howToAuthenticate(plan), add],
    note: HostedApps.isPublic(plan.mcpUrl)
      ? null
      : `${plan.mcpUrl} cannot be reached from the cloud: give the service a public HTTPS address.`,
    ...(plan.areAppsAutomatic && { auto: true as const })
  }))

const skipped = ({ name }: Client): Outcome => ({
  status: "skipped",
  error: `${name} has no files of projects: connect it without --project`
})

/** All selected clients, in their order. */
const inOrder = ({ clients, skipped }: Plan.Plan): ReadonlyArray<Client> =>
  skipped.length === 0 ? clients : Clients.all.filter((client) => clients.includes(client) || skipped.includes(client))

/** The account that this command created for all clients. */
const revokeUnusedShared = Effect.fnUntraced(
  function*({ minting }: Plan.Plan, shared: ClientTokens.Shared | undefined) {
    if (minting === undefined || shared === undefined || !("account" in shared)) return undefined
    return shared.account === undefined ? undefined : yield* revokeUnused(minting, shared.account)
  }
)

/** No client works with the shared token, and none may work later. */
const isOfNoUse = (rows: ReadonlyArray<Row>): boolean =>
  rows.some(({ status }) => status === "failed") &&
  rows.every((row) => row.status === "skipped" || (row.status === "failed" && !ConnectClient.isUndecided(row)))

const withoutShared = Effect.fnUntraced(
  function*(plan: Plan.Plan, shared: ClientTokens.Shared | undefined, rows: ReadonlyArray<Row>) {
    const taken = yield* revokeUnusedShared(plan, shared)
    if (taken === undefined) return rows
    return rows.map((row): Row => {
      if (row.status !== "failed") return row
      const left = row.location === undefined ? "" : " Its entry is left: remove it with svc disconnect."
      return { ...row, ...ConnectClient.withNote(row, `${unusedNoteOf(taken)}${left}`) }
    })
  }
)

export const connect = Effect.fn("Connect.connect")(function*(wanted: Plan.ConnectOptions) {
  const output = yield* Output
  const plan = yield* Plan.make(wanted, announce)
  const isOpen = plan.service.auth_mode === "none" && plan.service.mcp.oauth === null
  if (plan.minting === undefined && plan.clients.length > 0 && isOpen) {
    yield* output.line("Authorization is disabled: entries get no token.")
  }
  const warning = yield* warningFor(plan)
  yield* checkCredential(plan)
  const shared = yield* ClientTokens.shared(plan)
  const connecting = Effect.forEach(inOrder(plan), (client) =>
    Effect.map(
      plan.skipped.includes(client)
        ? Effect.succeed(skipped(client))
        : ConnectClient.connect(plan, client, shared),
      (outcome): Row => ({ client: client.key, name: client.name, ...outcome })
    ))
  const rows = yield* Effect.onInterrupt(connecting, () => revokeUnusedShared(plan, shared))
  const isUseless = isOfNoUse(rows)
  const settled = isUseless ? yield* withoutShared(plan, shared, rows) : rows
  const connected: Connected = {
    plan,
    rows: [...settled, ...appRows(plan)],
    sharedAccount: isUseless || shared === undefined || !("account" in shared) ? undefined : shared.account,
    warning
  }
  return connected
})
