// An agent of another service as an agent of this one: a component, a member of a team, or the executor of a step.
import type * as Json from "@svc-runtime/domain/Json"
import * as ToolName from "@svc-runtime/domain/ToolName"
import type * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Duration, Effect, Option, Predicate, Redacted, Schema } from "effect"
import * as RemoteCalls from "../../remote/RemoteCalls.ts"
import { type Remote, type RemotePart, type RemoteTask, RemoteTasks, unavailable } from "../../remote/RemoteTasks.ts"
import * as Agent from "../define/Agent.ts"
import type { Hook } from "../define/Hook.ts"
import * as Text from "../execute/Text.ts"
import * as RemoteModel from "./RemoteModel.ts"

// A remote agent as a tool: the calling model reads its answer, and answers its questions itself.

interface RemoteToolOptions {
  /** Letters, digits, `_` and `-`, at most 64. Default: the id of the agent. */
  readonly name?: string | undefined
  /** Tells the model when to use the tool. Default: the role or the description of the agent. */
  readonly description?: string | undefined
}

const Ask = Schema.Struct({
  message: Schema.String.annotate({ description: "What the agent is asked, with all that it needs to know" }),
  task_id: Schema.optionalKey(
    Schema.String.annotate({ description: "To answer a question of the agent: the id that came with the question" })
  )
})

const decode = Schema.decodeUnknownEffect(Ask)

const failed = (error: { readonly message: string }) => new Tool.ToolFailed({ message: error.message, cause: error })

const textOf = ({ data, text, url }: RemotePart): string => text ?? url ?? (data === undefined ? "" : Text.ofJson(data))

/** How long the end of a cancelled run waits for the cancel of its remote task. */
const cancelling = Duration.seconds(5)

const answerTo = Effect.fnUntraced(function*(tasks: RemoteTasks["Service"], remote: Remote, task: RemoteTask) {
  let answer = ""
  const onText = yield* RemoteModel.limitedText(remote, (text) => Effect.sync(() => void (answer += text)))
  const end = yield* tasks.follow(remote, task, onText)
  if (end._tag === "Asks") {
    return `${end.question}\n\nTo answer, call this tool again with the answer as message and task_id ${task.task_id}.`
  }
  const addresses = end.files.flatMap(({ url }) => url ?? [])
  return [answer, ...addresses].join("\n")
})

const make = (remote: Remote, { description, name }: RemoteToolOptions): Tool.Tool => {
  const declared = Tool.make({
    name: name ?? ToolName.of(remote.id),
    description,
    parameters: Ask,
    effects: remote.deduplicates ? "idempotent" : "once",
    execute: () => Effect.die(new Error(`Nothing answers the calls of '${remote.id}'`))
  })
  return {
    ...declared,
    call: Effect.fnUntraced(function*(input, { effectId, isCancelled }) {
      const tasks = Option.getOrUndefined(yield* Effect.serviceOption(RemoteTasks))
      if (tasks === undefined) return yield* failed(unavailable)
      const { message, task_id } = yield* Effect.mapError(decode(input), failed)
      const outgoing = { message_id: effectId, task_id, parts: [{ text: message }] }
      const sent = yield* Effect.mapError(tasks.send(remote, outgoing, isCancelled), failed)
      if (sent.task_id === undefined) return (sent.parts ?? []).map(textOf).join("")
      const task = { message_id: effectId, task_id: sent.task_id }
      return yield* answerTo(tasks, remote, task).pipe(
        Effect.onInterrupt(() =>
          isCancelled()
            ? Effect.ignore(Effect.timeoutOption(tasks.cancel(remote, task.task_id), cancelling), { log: true })
            : Effect.void
        ),
        Effect.mapError(failed)
      )
    })
  }
}

type Secret = string | Redacted.Redacted

export interface Options {
  /** The handle here. Letters, digits, `.`, `_`, `~` and `-`. */
  readonly id: string
  /** The address of the agent, below which its card is, or the address of its card. */
  readonly url: string
  /** The display name. Default: the id. */
  readonly name?: string | undefined
  /** What the agent does, for people and for the model. Default: none. */
  readonly description?: string | undefined
  /** The role of the agent in a team. Default: none. */
  readonly role?: string | undefined
  /** Where its sessions and runs are stored. Default: the service's own database. */
  readonly db?: DatabaseHandle.DatabaseHandle | undefined
  /** Sent as `Authorization: Bearer`. */
  readonly token?: Secret | undefined
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, Secret>> | undefined
  /** Other origins than that of `url` at which its card may say that the agent is: `https://agents.example`. */
  readonly origins?: ReadonlyArray<string> | undefined
  /** How long an answer is waited for. Then the remote task is cancelled. Default: 10 minutes. */
  readonly timeout?: Duration.Input | undefined
  /**
   * The remote service answers a repeated message with the task that it has made, as this one does. Then a message
   * whose answer was lost is sent again. Default: false.
   */
  readonly deduplicates?: boolean | undefined
  /** The runs of a session are in one context of the remote agent. Default: true. */
  readonly keepsContext?: boolean | undefined
  /** If it is not known whether a message arrived: `pause` waits for a person, `fail` ends the run. */
  readonly onUnknownOutcome?: "pause" | "fail" | undefined
  /** Called before the message is sent, and after the answer. A failing hook ends the run. */
  readonly preHooks?: ReadonlyArray<Hook> | undefined
  /** Called after the answer. A failing hook ends the run. Default: none. */
  readonly postHooks?: ReadonlyArray<Hook> | undefined
  /** Free-form JSON, shown in discovery. Default: none. */
  readonly metadata?: Json.Object | undefined
  /** Also store the events of runs that are neither streamed nor in the background. */
  readonly storeEvents?: boolean | undefined
}

const kinds: AuthorOptions.Kinds<keyof Options> = {
  id: "text",
  url: "text",
  name: "text",
  description: "text",
  role: "text",
  db: "any",
  token: "any",
  headers: "object",
  origins: "list",
  timeout: "any",
  deduplicates: "flag",
  keepsContext: "flag",
  onUnknownOutcome: { oneOf: Agent.outcomes },
  preHooks: "list",
  postHooks: "list",
  metadata: "object",
  storeEvents: "flag"
}

const urlOf = (owner: string, option: string, text: string): URL => {
  const url = URL.parse(text)
  if (url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.username === "") return url
  throw new Mistake(`${owner}: ${option} must be an address that begins with https:// or http://, and has no user name`)
}

const redacted = (secret: Secret): Redacted.Redacted => Predicate.isString(secret) ? Redacted.make(secret) : secret

const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/

const headersOf = (owner: string, { headers = {}, token }: Options): ReadonlyMap<string, Redacted.Redacted> => {
  const all = new Map<string, Redacted.Redacted>()
  if (token !== undefined) all.set("authorization", Redacted.make(`Bearer ${Redacted.value(redacted(token))}`))
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase()
    if (!headerName.test(name)) throw new Mistake(`${owner}: headers has '${given}', which is no name of a header`)
    if (all.has(name)) throw new Mistake(`${owner}: the header '${name}' is given twice`)
    all.set(name, redacted(value))
  }
  for (const [name, value] of all) {
    if (!/^[\x20-\x7e]*$/.test(Redacted.value(value))) {
      throw new Mistake(`${owner}: the header '${name}' has characters that cannot be sent`)
    }
  }
  return all
}

/**
 * An agent of another service that speaks A2A, 0.3 or 1.0. Its card says how it is called. A question of it pauses the
 * run, and the end of a cancelled run cancels its task.
 *
 * Throws an `Error` that names the agent and the option if an option is invalid.
 *
 * ```ts
 * import { RemoteAgent, Team } from "@svc-runtime/server"
 *
 * const translator = RemoteAgent.a2a({
 *   id: "translator",
 *   role: "Translates texts",
 *   url: "https://agents.example/a2a/agents/translator"
 * })
 *
 * export const desk = Team.make({ id: "desk", members: [translator] })
 * ```
 */
export const a2a = (options: Options): Agent.Agent => {
  AuthorOptions.check(AuthorOptions.ownerOf("RemoteAgent", options), options, kinds)
  const id = Validate.urlId("RemoteAgent", options.id)
  const owner = `RemoteAgent '${id}'`
  const { deduplicates, headers: _, keepsContext = true, origins, timeout, token: __, url, ...agent } = options
  const remote: Remote = {
    id,
    url: urlOf(owner, "url", url).href,
    headers: headersOf(owner, options),
    origins: (origins ?? []).map((origin) => urlOf(owner, "origins", origin).origin),
    timeout: Validate.duration(owner, "timeout", timeout ?? "10 minutes"),
    deduplicates: deduplicates ?? false
  }
  return Agent.named("RemoteAgent", {
    ...agent,
    model: RemoteModel.make(remote),
    tools: RemoteCalls.make(remote),
    // it has instructions of its own
    buildContext: false,
    // of which it reads the context
    addHistoryToContext: keepsContext,
    numHistoryRuns: 1
  }, [])
}

/**
 * A remote agent as a tool of an agent of this service, whose model reads the answer and answers questions itself. A
 * call that a crash cut off has an unknown outcome, unless the remote agent `deduplicates`: as a member of a team it
 * continues with the same task.
 *
 * Throws an `Error` if the agent is no remote one.
 */
export const tool = (agent: Agent.Agent, options: RemoteToolOptions = {}): Tool.Tool => {
  const { description, id, model, role } = agent
  if (!RemoteModel.isRemoteModel(model)) throw new Mistake(`Agent '${id}' is no remote agent`)
  return make(model.remote, { ...options, description: options.description ?? role ?? description })
}
