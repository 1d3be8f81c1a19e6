// The tools of an MCP server for an agent or a team.
import type { Options as CallOptions } from "@svc-runtime/engine/tool/CallLimits"
import * as CallLimits from "@svc-runtime/engine/tool/CallLimits"
import { checkApproval } from "@svc-runtime/engine/tool/checkApproval"
import type { Effects } from "@svc-runtime/engine/tool/Tool"
import type { Offer, ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { type Duration, Effect, Equal, Option, Predicate, Redacted } from "effect"
import { type Shows, shows } from "./CallResult.ts"
import { McpLinks } from "./McpLinks.ts"
import type { McpServer, Secret, TokenSource } from "./McpServer.ts"

interface Http {
  /** The endpoint of streamable HTTP. */
  readonly url: string | URL
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, Secret>> | undefined
  /** Of `Authorization: Bearer`, or a function that gives the current one. */
  readonly token?: Secret | TokenSource | undefined
  readonly command?: undefined
}

interface Process {
  /** A program that the service starts. Its standard input and output are the connection. */
  readonly command: string
  /** The arguments of the program. Default: none. */
  readonly args?: ReadonlyArray<string> | undefined
  /** Its environment, beside `PATH`, `HOME` and a few others. The variables of the service are not passed on. */
  readonly env?: Readonly<Record<string, Secret>> | undefined
  /** Its working directory. Default: that of the service. */
  readonly cwd?: string | undefined
  readonly url?: undefined
}

/** Limits of the requests of a server to the model. */
export interface Sampling {
  /** Of one call. Default: 10. */
  readonly maxRequests?: number | undefined
  /** Of one answer. Default: 4096. */
  readonly maxTokens?: number | undefined
  /** The run pauses until a person allows the request. Default: false. */
  readonly requiresConfirmation?: boolean | undefined
}

export type Options = (Http | Process) & CallOptions & {
  /** Names the server in events, in the log and in the details of agents. */
  readonly name: string
  /** Before the names of its tools. Default: none. */
  readonly prefix?: string | undefined
  /** The names of the tools that are offered. Default: all. */
  readonly include?: ReadonlyArray<string> | undefined
  /** The names of tools that are not offered. Default: none. */
  readonly exclude?: ReadonlyArray<string> | undefined
  /** Further tools are left out. Default: 100. */
  readonly maxTools?: number | undefined
  /**
   * Of all tools, or by their names. `annotations`: what the server says, which is trusted then. Default: `once`.
   */
  readonly effects?: Effects | Readonly<Record<string, Effects>> | "annotations" | undefined
  /** Of all tools, or of the named ones. Default: none. */
  readonly requiresConfirmation?: boolean | ReadonlyArray<string> | undefined
  /**
   * What the model reads of a result: its content, its structured content, or both, without what both say. Default:
   * `both`.
   */
  readonly results?: Shows | undefined
  /** As of other tools, for all of them. */
  readonly approval?: "required" | "audit" | undefined
  /** Whether the server may ask the user in the middle of a call: the run pauses with its form. Default: true. */
  readonly elicitation?: boolean | undefined
  /**
   * Whether the server may ask the model of the run in the middle of a call (sampling). Its tokens are those of the
   * run. Default: false.
   */
  readonly sampling?: boolean | Sampling | undefined
  /** The timeout of the connection, and of the list of tools. Default: ten seconds. */
  readonly connectTimeout?: Duration.Input | undefined
}

const effectsRule = ["read", "idempotent", "once"]

const redacted = (values: Readonly<Record<string, Secret>> = {}, nameOf: (name: string) => string) =>
  new Map(
    Object.entries(values).map(([name, value]) => [
      nameOf(name),
      Redacted.isRedacted(value) ? value : Redacted.make(value)
    ])
  )

const endpointOf = (owner: string, options: Http | Process): McpServer["endpoint"] => {
  if ((options.command === undefined) === (options.url === undefined)) {
    const has = options.command === undefined ? "none" : "both"
    throw new Mistake(`${owner} needs a url, for HTTP, or a command, which is started, and has ${has}`)
  }
  if (options.command !== undefined) {
    const { args = [], command, cwd, env } = options
    if (command === "") throw new Mistake(`${owner}: command is empty`)
    // the path of a program may have spaces, and its name has none
    const program = /^([^\s/\\]+)\s/.exec(command)?.[1]
    if (program !== undefined) {
      throw new Mistake(`${owner}: command is one program. Write command: "${program}", and the rest in args: [ … ]`)
    }
    return { command, args, cwd, env: redacted(env, (name) => name) }
  }
  const { headers, token, url } = options
  const parsed = URL.parse(String(url))
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) {
    throw new Mistake(`${owner}: url must be an address that begins with http:// or https://`)
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new Mistake(`${owner}: url has a user name or a password. Use headers or token`)
  }
  return {
    url: parsed.href,
    headers: redacted(headers, (name) => name.toLowerCase()),
    token: typeof token === "string" ? Redacted.make(token) : token
  }
}

const checkedEffects = (owner: string, effects: Options["effects"] = "once") => {
  const all = Predicate.isString(effects) ? [effects] : Object.values(effects)
  const unknown = all.find((each) => each !== "annotations" && !effectsRule.includes(each))
  if (unknown !== undefined) throw new Mistake(`${owner}: effects has '${unknown}', and not read, idempotent or once`)
  return effects
}

const checkedResults = (owner: string, results: Shows = "both"): Shows => {
  if (shows.includes(results)) return results
  throw new Mistake(`${owner}: results has '${String(results)}', and not ${shows.join(", ")}`)
}

const checkedSampling = (owner: string, sampling: Options["sampling"] = false): McpServer["sampling"] => {
  if (sampling === false) return undefined
  const { maxRequests = 10, maxTokens = 4096, requiresConfirmation = false } = sampling === true ? {} : sampling
  return {
    maxRequests: Validate.wholeNumber(owner, "sampling.maxRequests", 1, maxRequests),
    maxTokens: Validate.wholeNumber(owner, "sampling.maxTokens", 1, maxTokens),
    requiresConfirmation
  }
}

const kinds: AuthorOptions.Kinds<keyof Http | keyof Options | keyof Process> = {
  name: "text",
  url: "any",
  headers: "object",
  token: "any",
  command: "text",
  args: "list",
  env: "object",
  cwd: "text",
  prefix: "text",
  include: "list",
  exclude: "list",
  maxTools: "any",
  effects: "any",
  requiresConfirmation: "flagOrTexts",
  results: "any",
  approval: "any",
  elicitation: "flag",
  sampling: "any",
  connectTimeout: "any",
  timeout: "any",
  retries: "any",
  delayBetweenRetries: "any",
  exponentialBackoff: "flag",
  concurrency: "any",
  maxCalls: "any",
  maxResultBytes: "any"
}

const serverOf = (options: Options): McpServer => {
  AuthorOptions.check(AuthorOptions.ownerOf("The MCP server", options, "name"), options, kinds)
  const { approval, exclude = [], include, name, prefix = "", requiresConfirmation = false } = options
  const owner = `The MCP server '${name}'`
  if (!Predicate.isString(name) || name === "") throw new Mistake("An MCP server needs a name")
  if (!/^[a-zA-Z0-9_-]{0,32}$/.test(prefix)) {
    throw new Mistake(`${owner}: prefix can have letters, digits, '_' and '-' only, at most 32`)
  }
  const effects = checkedEffects(owner, options.effects)
  checkApproval(owner, options)
  const { concurrency, delayBetweenRetries, exponentialBackoff, maxCalls, maxResultBytes, retries, timeout } = options
  const limits = { concurrency, delayBetweenRetries, exponentialBackoff, maxCalls, maxResultBytes, retries, timeout }
  CallLimits.make(owner, limits, effects === "once" ? "once" : "read")
  return Equal.byReference({
    name,
    endpoint: endpointOf(owner, options),
    elicitation: options.elicitation ?? true,
    sampling: checkedSampling(owner, options.sampling),
    connectTimeout: Validate.duration(owner, "connectTimeout", options.connectTimeout ?? "10 seconds"),
    tools: {
      ...limits,
      prefix,
      include: include === undefined ? undefined : new Set(include),
      exclude: new Set(exclude),
      maxTools: Validate.wholeNumber(owner, "maxTools", 1, options.maxTools ?? 100),
      effects,
      results: checkedResults(owner, options.results),
      approval,
      requiresConfirmation: Predicate.isBoolean(requiresConfirmation)
        ? requiresConfirmation
        : new Set(requiresConfirmation)
    }
  })
}

/**
 * The tools of an MCP server, for the `tools` of an agent or a team. The service connects when a run begins, and again
 * after a break. A server that cannot be used does not end the run: the run has an event `ToolSourceFailed`, and
 * `GET /agents/{id}` shows the reason.
 *
 * Throws an `Error` that names the server if an option is invalid.
 *
 * ```ts
 * import { Agent, McpTools } from "@svc-runtime/server"
 *
 * export const helper = Agent.make({
 *   id: "helper",
 *   tools: [McpTools.make({ name: "tickets", url: "https://tickets.example/mcp", effects: { search: "read" } })]
 * })
 * ```
 */
export const make = (options: Options): ToolSource => {
  const server = serverOf(options)
  let last: Offer | undefined
  return {
    _tag: "ToolSource",
    name: server.name,
    open: Effect.gen(function*() {
      const links = Option.getOrUndefined(yield* Effect.serviceOption(McpLinks))
      last = links === undefined
        ? { tools: [], problem: "There is no service that calls MCP servers" }
        : yield* (yield* links.get(server)).offer
      return last
    }),
    last: () => last
  }
}
