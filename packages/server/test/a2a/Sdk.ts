// The official client, as it is, against the service on a real port.
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client"
import { Effect } from "effect"

export type Binding = "JSONRPC" | "HTTP+JSON"

export interface Dialect {
  readonly version: "0.3" | "1.0"
  readonly binding: Binding
}

export const dialects: ReadonlyArray<Dialect> = [
  { version: "1.0", binding: "JSONRPC" },
  { version: "1.0", binding: "HTTP+JSON" },
  { version: "0.3", binding: "JSONRPC" },
  { version: "0.3", binding: "HTTP+JSON" }
]

/** A client of 0.3 asks for the card without a version, and knows nothing of `supportedInterfaces`. */
const cardOf = async (address: string, { binding, version }: Dialect) => {
  const headers = version === "1.0" ? { "A2A-Version": "1.0" } : {}
  const response = await fetch(`${address}/.well-known/agent-card.json`, { headers })
  const { supportedInterfaces, ...card } = await response.json() as Record<string, unknown>
  if (version === "1.0") {
    const all = supportedInterfaces as ReadonlyArray<{ protocolBinding: string }>
    return { ...card, supportedInterfaces: all.filter(({ protocolBinding }) => protocolBinding === binding) }
  }
  if (binding === "JSONRPC") return card
  const [other] = card["additionalInterfaces"] as ReadonlyArray<{ url: string; transport: string }>
  return { ...card, url: other?.url, preferredTransport: other?.transport, additionalInterfaces: [] }
}

export const connect = (address: string, dialect: Dialect): Effect.Effect<Client> =>
  Effect.promise(async () => {
    const legacyCompat = { enabled: true }
    const { DefaultAgentCardResolver } = await import("@a2a-js/sdk/client")
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory({ legacyCompat }), new RestTransportFactory({ legacyCompat })],
      cardResolver: new DefaultAgentCardResolver({ legacyCompat })
    })
    return factory.createFromAgentCard(await cardOf(address, dialect) as never)
  })

export const collect = <A>(generator: AsyncGenerator<A>): Effect.Effect<ReadonlyArray<A>> =>
  Effect.promise(async () => {
    const all: Array<A> = []
    for await (const each of generator) all.push(each)
    return all
  })

let last = 0

export const message = (text: string, more: object = {}) =>
  ({
    message: {
      messageId: `message-${++last}`,
      role: 1,
      parts: [{ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "" }],
      contextId: "",
      taskId: "",
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more
    },
    tenant: "",
    configuration: undefined,
    metadata: undefined
  }) as never
