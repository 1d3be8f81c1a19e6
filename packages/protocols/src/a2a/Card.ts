// The card of a component, for clients of each version.
import type * as Json from "@svc-runtime/domain/Json"
import { legacyVersion, type Version } from "./Version.ts"

export interface Described {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The address of the component: JSON-RPC, and HTTP below it. */
  readonly url: string
  /** How callers authenticate. Undefined for an open service. */
  readonly isClosed: boolean
  /** Changes of tasks are sent to clients. */
  readonly hasPushes: boolean
  /** Questions that a chat page suggests for the component. */
  readonly examples: ReadonlyArray<string>
}

const skillOf = ({ description, examples, id, name }: Described) => ({
  id,
  name,
  description,
  tags: ["svc"],
  ...(examples.length === 0 ? {} : { examples }),
  outputModes: ["application/json"]
})

const media = ["text/plain", "application/json"]
const bearer = "bearer"

const interfaces = (url: string) => [
  { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }
]

const legacyInterfaces = (url: string) => [
  { url: `${url}/v1/message:stream`, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
  { url, protocolBinding: "HTTP+JSON", protocolVersion: "0.3" }
]

const current = (described: Described): Json.Object => ({
  name: described.name,
  description: described.description,
  version: "1.0.0",
  supportedInterfaces: interfaces(described.url),
  capabilities: { streaming: true, pushNotifications: described.hasPushes, extendedAgentCard: true },
  ...(described.isClosed
    ? {
      securitySchemes: { [bearer]: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
      securityRequirements: [{ schemes: { [bearer]: { list: [] } } }]
    }
    : {}),
  defaultInputModes: media,
  defaultOutputModes: media,
  skills: [skillOf(described)]
})

/** Clients of 1.0 that state no version read `supportedInterfaces`. */
const legacy = (described: Described): Json.Object => ({
  protocolVersion: legacyVersion,
  supportedInterfaces: [...interfaces(described.url), ...legacyInterfaces(described.url)],
  name: described.name,
  description: described.description,
  version: "1.0.0",
  url: `${described.url}/v1/message:stream`,
  preferredTransport: "JSONRPC",
  additionalInterfaces: [{ transport: "HTTP+JSON", url: described.url }],
  defaultInputModes: ["text"],
  defaultOutputModes: ["text"],
  capabilities: {
    // clients of 1.0 read a list
    extensions: [],
    pushNotifications: described.hasPushes,
    stateTransitionHistory: false,
    streaming: true,
    extendedAgentCard: true
  },
  skills: [skillOf(described)],
  // an open service authenticates no callers
  supportsAuthenticatedExtendedCard: described.isClosed,
  ...(described.isClosed
    ? { security: [{ [bearer]: [] }], securitySchemes: { [bearer]: { type: "http", scheme: "bearer" } } }
    : {})
})

export const make = (described: Described, version: Version): Json.Object =>
  version === "1.0" ? current(described) : legacy(described)
