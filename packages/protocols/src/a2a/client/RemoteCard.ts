// What a client reads of the card of a remote agent: where it is called, and how. Both versions are read, and cards
// that have the fields of both.
import * as Json from "@svc-runtime/domain/Json"
import { Result } from "effect"
import * as Version from "../Version.ts"

export type Binding = "JSONRPC" | "HTTP+JSON"

/** A place of the agent. */
export interface Interface {
  readonly url: string
  readonly binding: Binding
  readonly version: Version.Version
  readonly tenant: string | undefined
}

export interface RemoteCard {
  readonly name: string
  /** The best one first. */
  readonly interfaces: ReadonlyArray<Interface>
  readonly isStreaming: boolean
  /** Extensions that a client must support. */
  readonly required: ReadonlyArray<string>
}

const maxInterfaces = 20

const textIn = (value: Json.Value | undefined, maximum: number): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, maximum) : undefined

const listIn = (value: Json.Value | undefined): ReadonlyArray<Json.Object> =>
  Json.isList(value) ? value.filter(Json.isObject).slice(0, maxInterfaces) : []

const bindingOf = (name: string | undefined): Binding | undefined =>
  name === "JSONRPC" || name === "HTTP+JSON" ? name : undefined

const interfaceOf = (
  url: Json.Value | undefined,
  binding: Json.Value | undefined,
  stated: string,
  tenant?: Json.Value
): ReadonlyArray<Interface> => {
  const found = { url: textIn(url, 2048), binding: bindingOf(textIn(binding, 50)), version: Version.of(stated) }
  return found.url === undefined || found.binding === undefined || Result.isFailure(found.version)
    ? []
    : [{ url: found.url, binding: found.binding, version: found.version.success, tenant: textIn(tenant, 200) }]
}

const currentIn = ({ supportedInterfaces }: Json.Object): ReadonlyArray<Interface> =>
  listIn(supportedInterfaces).flatMap(({ protocolBinding, protocolVersion, tenant, url }) =>
    interfaceOf(url, protocolBinding, textIn(protocolVersion, 20) ?? "1.0", tenant)
  )

const legacyIn = (card: Json.Object): ReadonlyArray<Interface> => {
  const stated = textIn(card["protocolVersion"], 20) ?? Version.legacyVersion
  return [
    ...interfaceOf(card["url"], card["preferredTransport"] ?? "JSONRPC", stated),
    ...listIn(card["additionalInterfaces"]).flatMap(({ transport, url }) => interfaceOf(url, transport, stated))
  ]
}

const capabilitiesIn = ({ capabilities }: Json.Object): Json.Object => Json.isObject(capabilities) ? capabilities : {}

/** Undefined if it is no card. Interfaces of other versions and bindings are left out. */
export const of = (card: Json.Value): RemoteCard | undefined => {
  if (!Json.isObject(card)) return undefined
  const name = textIn(card["name"], 200)
  if (name === undefined) return undefined
  const all = [...currentIn(card), ...legacyIn(card)]
  const capabilities = capabilitiesIn(card)
  return {
    name,
    interfaces: all.toSorted((one, other) => other.version.localeCompare(one.version)),
    isStreaming: capabilities["streaming"] === true,
    required: listIn(capabilities["extensions"]).flatMap(({ required, uri }) =>
      required === true ? textIn(uri, 200) ?? [] : []
    )
  }
}
