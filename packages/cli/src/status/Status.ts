// Finds the service and its clients for `svc status`. It changes nothing and sends no credential. It succeeds if a
// service was found, whatever the state of the clients.
import { Effect, Option, type Schema } from "effect"
import type { Client } from "../clients/Client.ts"
import * as Clients from "../clients/Clients.ts"
import * as ServiceEntries from "../clients/ServiceEntries.ts"
import { present } from "../CommandResult.ts"
import * as EntryName from "../connect/EntryName.ts"
import * as Discovery from "../discovery/Discovery.ts"
import { provenance } from "../discovery/ServiceCandidates.ts"
import { Output } from "../terminal/Output.ts"
import { onOneLine } from "../terminal/Printable.ts"

export interface StatusOptions {
  readonly url: string | undefined
  readonly serverName: string | undefined
  readonly json: boolean
}

interface State {
  readonly client: Client
  readonly isDetected: boolean
  /** The place of an entry of the name, with any address. */
  readonly location: string | null
}

const stateOf = Effect.fnUntraced(function*(client: Client, isDetected: boolean, name: string) {
  const found = isDetected ? yield* ServiceEntries.resolve(client, name) : undefined
  const state: State = { client, isDetected, location: found?.scope.label ?? null }
  return state
})

const documentOf = ({ client, isDetected, location }: State): Schema.Json => ({
  client: client.key,
  detected: isDetected,
  configured: location !== null,
  location
})

const authorizationOfMcp = (servers: ReadonlyArray<string>): string =>
  servers.length === 0 ? "token-protected" : `OAuth via ${onOneLine(servers.join(", "))}`

const linesOf = (service: Discovery.Descriptor): ReadonlyArray<string> => {
  const { info_error: problem, mcp: { enabled, oauth }, url_source: source, url_source_file: file } = service
  return [
    `Service:    ${service.url}${provenance({ file, source })}`,
    ...(service.name === null ? [] : [`Name:       ${onOneLine(service.name)}`]),
    `Version:    ${onOneLine(service.version ?? "unknown")}`,
    ...(problem === undefined ? [] : [`Problem:    ${service.url}/info could not be read: ${onOneLine(problem)}`]),
    `MCP:        ${enabled ? Discovery.mcpUrl(service) : "disabled"}`,
    `Auth mode:  ${onOneLine(service.auth_mode)}`,
    ...(oauth === null ? [] : [`MCP auth:   ${authorizationOfMcp(oauth.authorization_servers)}`])
  ]
}

const described = ({ isDetected, location }: State): string => {
  if (!isDetected) return "not detected"
  return location === null ? "detected, not connected" : `configured (${location})`
}

const show = Effect.fnUntraced(function*(service: Discovery.Descriptor, states: ReadonlyArray<State>) {
  const output = yield* Output
  yield* Effect.forEach(linesOf(service), (line) => output.line(line), { discard: true })
  yield* output.line()
  yield* output.table(
    [{ title: "Client" }, { title: "State" }],
    states.map((state) => [state.client.name, described(state)])
  )
  const isUnknown = states.some(({ isDetected, location }) => isDetected && location === null)
  if (isUnknown && service.mcp.enabled) yield* output.line("\nConnect other clients with svc connect.")
})

export const status = ({ json, serverName, url }: StatusOptions) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      // the clients are looked for while the service responds
      const [service, detected] = yield* Effect.all([Discovery.find(url), Clients.detected], {
        concurrency: "unbounded"
      })
      const name = Option.getOrElse(Option.fromUndefinedOr(serverName), () => EntryName.derived(service.name))
      const states = yield* Effect.forEach(Clients.all, (client) => stateOf(client, detected.includes(client), name), {
        concurrency: "unbounded"
      })
      return {
        document: { os: { ...service }, clients: states.map(documentOf) },
        human: Effect.provideService(show(service, states), Output, output)
      }
    })
  )
