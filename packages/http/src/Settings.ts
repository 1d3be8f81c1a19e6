// The settings of the parts of the HTTP server, decided in one place (`Config.ts`, or the code of an application).
import type { ManifestEntry } from "@svc-runtime/domain/Service"
import type * as Service from "@svc-runtime/domain/Service"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import { Context } from "effect"
import type { ConsoleOAuth } from "./authorization/ConsoleOAuth.ts"
import type { McpOAuth } from "./authorization/McpOAuth.ts"
import type { McpOptions } from "./mcpTool/McpOptions.ts"

export interface Limits {
  /** Bytes. */
  readonly jsonBody: number
  /** Values in a JSON body, in a message of a socket, and in a form field that has JSON. */
  readonly jsonValues: number
  readonly formBody: number
  readonly a2aBody: number
  readonly headers: number
  /** Bytes of request bodies that are read or turned into a run at the same time. */
  readonly uploadsInFlight: number
  /** Bytes that are read for responses that are not sent yet. */
  readonly responsesInFlight: number
  /** Milliseconds during which a client may take too little of what waits for it. */
  readonly responseMillis: number
  /** Milliseconds to receive a whole request. */
  readonly receiveMillis: number
  /** WebSockets that are open at a time: in all, and of one user, or of one address before authentication. */
  readonly sockets: number
  readonly socketsPerCaller: number
}

export const defaultLimits: Limits = {
  jsonBody: 1024 * 1024,
  jsonValues: 20_000,
  formBody: 64 * 1024 * 1024,
  a2aBody: 64 * 1024 * 1024,
  headers: 16 * 1024,
  uploadsInFlight: 128 * 1024 * 1024,
  responsesInFlight: 256 * 1024 * 1024,
  responseMillis: 30_000,
  receiveMillis: 30_000,
  sockets: 1000,
  socketsPerCaller: 100
}

/** The path of the MCP endpoint. */
export const mcpPath = "/mcp"

export interface Mcp {
  readonly enabled: boolean
  /** Undefined: the endpoint has the authentication of the service. */
  readonly oauth?: McpOAuth | undefined
  readonly options?: McpOptions | undefined
}

export interface Protocol {
  readonly enabled: boolean
  /** The path before its routes. */
  readonly prefix: string
}

export interface AgUi extends Pick<Protocol, "enabled"> {
  /** The path before the route of `component`. Default: none. */
  readonly prefix?: string
  /** The component that is served there too: its id, or `teams/` and its id. Undefined: none. */
  readonly component?: string | undefined
}

export interface Protocols {
  /** The address under which clients reach the service. Undefined: the one that a request was sent to. */
  readonly publicUrl: string | undefined
  readonly a2a: Protocol
  readonly agui: AgUi
  readonly chat: Pick<Protocol, "enabled">
  readonly copilotkit: Protocol
  readonly openai: Protocol
}

export const defaultProtocols: Protocols = {
  publicUrl: undefined,
  a2a: { enabled: true, prefix: "/a2a" },
  agui: { enabled: true },
  chat: { enabled: true },
  copilotkit: { enabled: true, prefix: "/copilotkit" },
  openai: { enabled: true, prefix: "/v1" }
}

/** The parts of `GET /config` that user interfaces show under a name. */
export type Domain = "session" | "knowledge" | "memory" | "learning" | "metrics" | "evals" | "traces"

export interface DisplayNames extends Readonly<Partial<Record<Domain, string>>> {
  /** The names of databases, by their ids. Default: the id. */
  readonly databases?: Readonly<Record<string, string>> | undefined
}

/** What the names take. */
export const displayNames: AuthorOptions.Kinds<keyof DisplayNames> = {
  session: "text",
  knowledge: "text",
  memory: "text",
  learning: "text",
  metrics: "text",
  evals: "text",
  traces: "text",
  databases: { each: "text" }
}

export interface Settings {
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  /** The project's own version. */
  readonly version: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly authMode: Service.AuthMode
  readonly docs: boolean
  readonly console: boolean
  readonly consoleOAuth?: ConsoleOAuth | undefined
  readonly mcp: Mcp
  readonly protocols: Protocols
  /** The names of the features that are served. */
  readonly features: ReadonlyArray<string>
  /** Host names of the service, beside those of this machine. Undefined where none are listed. */
  readonly allowedHosts: ReadonlyArray<string> | undefined
  readonly limits: Limits
  /** Whether forms of runs with unknown fields are refused. */
  readonly strictRequests: boolean
  readonly availableModels: ReadonlyArray<string>
  /** Suggestions that a user interface shows, by the id of the component. */
  readonly quickPrompts: Readonly<Record<string, ReadonlyArray<string>>>
  /** What a user interface shows of a component, by its id. */
  readonly manifest: Readonly<Record<string, ManifestEntry>>
  /** The names that a user interface shows for parts of the service. */
  readonly displayNames: DisplayNames
}

export class ServerSettings
  extends Context.Service<ServerSettings, Settings>()("@svc-runtime/http/Settings/ServerSettings")
{}
