// An MCP server whose tools an agent gets, as its author named it.
import type { Options as CallOptions } from "@svc-runtime/engine/tool/CallLimits"
import type { Effects } from "@svc-runtime/engine/tool/Tool"
import type { Duration, Effect, Redacted } from "effect"
import type { Shows } from "./CallResult.ts"

export type Secret = string | Redacted.Redacted

/** Gives the current token. It is called before each request, and once more if the server refuses the token. */
export type TokenSource = () => Secret | Promise<Secret> | Effect.Effect<Secret, unknown>

export interface HttpEndpoint {
  readonly url: string
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, Redacted.Redacted>
  readonly token: Redacted.Redacted | TokenSource | undefined
}

export interface ProcessEndpoint {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: ReadonlyMap<string, Redacted.Redacted>
  readonly cwd: string | undefined
}

/** Settings of its tools: of each tool, as if the author had made it. */
export interface ToolSettings extends CallOptions {
  readonly prefix: string
  /** Undefined: all. */
  readonly include: ReadonlySet<string> | undefined
  readonly exclude: ReadonlySet<string>
  readonly maxTools: number
  readonly results: Shows
  readonly effects: Effects | Readonly<Record<string, Effects>> | "annotations"
  readonly requiresConfirmation: boolean | ReadonlySet<string>
  readonly approval: "required" | "audit" | undefined
}

/** Requests of the server to the model. */
export interface SamplingLimits {
  /** In one call. */
  readonly maxRequests: number
  /** Of one answer. */
  readonly maxTokens: number
  /** A person allows each request. */
  readonly requiresConfirmation: boolean
}

export interface McpServer {
  readonly name: string
  readonly endpoint: HttpEndpoint | ProcessEndpoint
  /** Whether the server may ask the user in the middle of a call. */
  readonly elicitation: boolean
  /** Undefined: the server may not ask the model. */
  readonly sampling: SamplingLimits | undefined
  /** Of the connection, with the list of tools. */
  readonly connectTimeout: Duration.Duration
  readonly tools: ToolSettings
}

export const isProcess = (endpoint: McpServer["endpoint"]): endpoint is ProcessEndpoint => "command" in endpoint
