// Runs of one agent, team or workflow.
import type { Call, Connection } from "./Connection.ts"
import { awaits, sent } from "./Decisions.ts"
import { refuseMethods } from "./ForeignMethods.ts"
import type {
  AgentSessionDetailSchema,
  Checkpoints,
  CheckpointSnapshot,
  PartialRunRecord,
  PartialTeamRunRecord,
  PartialWorkflowRunRecord,
  RunAccepted,
  RunRecord,
  SessionForked,
  TeamCheckpointSnapshot,
  TeamRunRecord,
  TeamSessionDetailSchema,
  WorkflowRunRecord,
  WorkflowSessionDetailSchema
} from "./generated/types.ts"
import { newIdempotencyKey } from "./IdempotencyKey.ts"
import { type Options, unknownOf } from "./Options.ts"
import { runSegment, segment } from "./Path.ts"
import { type ContinueInput, decisionsOf, fieldsOf, type RunInput, type WorkflowContinueInput } from "./RunInput.ts"
import type { RunReference } from "./RunReference.ts"
import { RunStream } from "./RunStream.ts"
import {
  type AgentEvent,
  outputWithText,
  type RunOutput,
  type TeamEvent,
  type TeamRunOutput,
  type WorkflowEvent,
  type WorkflowRunOutput
} from "./Text.ts"
import { bodyOf, jsonBody } from "./Uploads.ts"

export interface Kinds {
  readonly agent: {
    readonly output: RunOutput
    readonly event: AgentEvent
    readonly record: RunRecord
    readonly input: ContinueInput
    readonly snapshot: CheckpointSnapshot
  }
  readonly team: {
    readonly output: TeamRunOutput
    readonly event: TeamEvent
    readonly record: TeamRunRecord
    readonly input: ContinueInput
    readonly snapshot: TeamCheckpointSnapshot
  }
  readonly workflow: {
    readonly output: WorkflowRunOutput
    readonly event: WorkflowEvent
    readonly record: WorkflowRunRecord
    readonly input: WorkflowContinueInput
    readonly snapshot: never
  }
}

/** A run in the list of a session. Other calls take it. */
export type SessionRun = (PartialRunRecord | PartialTeamRunRecord | PartialWorkflowRunRecord) & RunReference

type SessionDetail = AgentSessionDetailSchema | TeamSessionDetailSchema | WorkflowSessionDetailSchema

export type Kind = keyof Kinds

const prefixes = { agent: "Run", team: "TeamRun", workflow: "Workflow" } as const

const endsOf = (kind: Kind): ReadonlyArray<string> =>
  ["Completed", "Error", "Cancelled", "Paused"].map((end) => `${prefixes[kind]}${end}`)

/**
 * An agent, a team or a workflow of the service.
 *
 * A run that failed is returned as well, with the status `ERROR`; `SvcError` is thrown for requests that are refused.
 *
 * @example
 * const assistant = svc.agent("assistant")
 * const run = await assistant.run("What is 17 times 23?")
 * console.log(run.status, run.content)
 */
export class Component<K extends Kind> {
  protected readonly connection: Connection
  protected readonly path: string
  readonly kind: K
  readonly id: string

  constructor(connection: Connection, kind: K, id: string) {
    this.connection = connection
    this.kind = kind
    this.id = id
    this.path = `/${kind}s/${segment(id)}`
  }

  protected runPath(run: Pick<RunReference, "run_id">, suffix = ""): string {
    return `${this.path}/runs/${runSegment(run)}${suffix}`
  }

  async #post(path: string, fields: object, options: Options): Promise<Call> {
    for (const name of unknownOf(options)) {
      this.connection.warn(
        `The option '${name}' is unknown and has no effect. Is it a field of the run, beside message?`
      )
    }
    return {
      ...options,
      idempotencyKey: options.idempotencyKey ?? newIdempotencyKey(),
      method: "POST",
      path,
      ...await bodyOf(fields)
    }
  }

  async #output(call: Call): Promise<Kinds[K]["output"]> {
    return outputWithText(await this.connection.run(call))
  }

  #stream(path: string, fields: object, options: Options, hasEnd: boolean) {
    let call: Promise<Call> | undefined
    return new RunStream<Kinds[K]["event"], Kinds[K]["output"]>({
      connection: this.connection,
      // sent again as it was: the key of the request makes it the same run
      start: () => call ??= this.#post(path, { ...fields, stream: true }, options),
      signal: options.signal,
      ends: endsOf(this.kind),
      hasEnd,
      watch: (run, after) => this.#watching(run, after),
      get: (run) => this.get(run, { signal: options.signal })
    })
  }

  #watching({ run_id, session_id }: RunReference, after: number | undefined): Call {
    return {
      method: "GET",
      path: this.runPath({ run_id }, "/events"),
      query: { session_id },
      headers: after === undefined ? {} : { "last-event-id": String(after) }
    }
  }

  /** Starts a run, and waits for its end or its pause. */
  async run(input: string | RunInput, options: Options = {}): Promise<Kinds[K]["output"]> {
    const call = await this.#post(`${this.path}/runs`, { ...fieldsOf(input), stream: false }, options)
    return this.#output(call)
  }

  /** Starts a run when the stream is read, and returns its events. */
  stream(input: string | RunInput, options: Options = {}): RunStream<Kinds[K]["event"], Kinds[K]["output"]> {
    const fields = fieldsOf(input)
    const hasEnd = typeof input === "string" || input.stream_events !== false
    return this.#stream(`${this.path}/runs`, fields, options, hasEnd)
  }

  /** Starts a run in the background, and returns its id. */
  async start(input: string | RunInput, options: Options = {}): Promise<RunAccepted> {
    const fields = { ...fieldsOf(input), stream: false, background: true }
    return await this.connection.json(await this.#post(`${this.path}/runs`, fields, options)) as RunAccepted
  }

  /** The run as it is now. */
  async get(run: RunReference, options: Options = {}): Promise<Kinds[K]["output"]> {
    const call = { ...options, method: "GET", path: this.runPath(run), query: { session_id: run.session_id } }
    return this.#output(call)
  }

  /** The runs of the component in a session, oldest first. */
  async list(session_id: string, options: Options = {}): Promise<Array<Kinds[K]["record"] & RunReference>> {
    segment(session_id)
    const call = { ...options, method: "GET", path: `${this.path}/runs`, query: { session_id } }
    const runs = await this.connection.json(call) as Array<Kinds[K]["record"] & RunReference>
    return runs.map((run) => ({ ...run, session_id }))
  }

  /** The runs that a conversation shows: those on the path to the leaf of its session, oldest first. */
  async history(session_id: string, options: Options = {}): Promise<Array<SessionRun>> {
    return (await this.#runsOf({ session_id }, options)).filter(({ is_on_path: isShown }) => isShown === true)
  }

  /** The events of a run that exists: all of them, or those after an index. */
  watch(
    run: RunReference,
    { after, signal }: Options & { readonly after?: number | undefined } = {}
  ): RunStream<Kinds[K]["event"], Kinds[K]["output"]> {
    runSegment(run)
    return new RunStream<Kinds[K]["event"], Kinds[K]["output"]>({
      connection: this.connection,
      run: { run_id: run.run_id, session_id: run.session_id },
      after,
      signal,
      ends: endsOf(this.kind),
      hasEnd: true,
      watch: (reference, index) => this.#watching(reference, index),
      get: (reference) => this.get(reference, { signal })
    })
  }

  /** Continues a paused run with decisions (`approve`, `reject`), and waits for its end or its next pause. */
  async continue(run: RunReference, input: Kinds[K]["input"], options: Options = {}): Promise<Kinds[K]["output"]> {
    const path = this.runPath(run, "/continue")
    const fields = { ...decisionsOf(run, input), session_id: run.session_id, stream: false }
    return this.#output(await this.#post(path, fields, options))
  }

  /** Continues a paused run when the stream is read, and returns the events that follow. */
  continueStream(
    run: RunReference,
    input: Kinds[K]["input"],
    options: Options = {}
  ): RunStream<Kinds[K]["event"], Kinds[K]["output"]> {
    const path = this.runPath(run, "/continue")
    const fields = { ...decisionsOf(run, input), session_id: run.session_id }
    return this.#stream(path, fields, options, input.stream_events !== false)
  }

  /**
   * Sends an event to a paused run that waits for it by `waitFor`, and waits for its end or its next pause. With a run
   * that has this question the event is its answer, also when it is sent again. With an id it is for what the run waits
   * for now.
   *
   * @example
   * await svc.agent("clerk").send(run, "paid", { cents: 1200 })
   */
  async send(run: RunReference, event: string, value?: unknown, options: Options = {}): Promise<Kinds[K]["output"]> {
    runSegment(run)
    const paused = awaits(run, event) ? run : await this.get(run, { signal: options.signal })
    return this.continue(run, sent(paused, event, value), options)
  }

  /** Sends another message instead of that of a run. The new run is a branch of its session. */
  async edit(run: RunReference, input: string | RunInput, options: Options = {}): Promise<Kinds[K]["output"]> {
    return await this.run(await this.#beside(run, fieldsOf(input), options), options)
  }

  /** Sends the message of a run again, without its files. The new run is a branch of its session. */
  async regenerate(
    run: RunReference,
    input: Partial<RunInput> = {},
    options: Options = {}
  ): Promise<Kinds[K]["output"]> {
    return await this.run(await this.#beside(run, input, options), options)
  }

  /** The runs that come after the same run as this one, itself among them, oldest first. */
  async branches(run: RunReference, options: Options = {}): Promise<Array<SessionRun>> {
    runSegment(run)
    const runs = await this.#runsOf(run, options)
    const previous = runs.find(({ run_id }) => run_id === run.run_id)?.previous_run_id
    return runs.filter(({ previous_run_id }) => previous_run_id === previous)
  }

  /** Shows the branch of a run: the last run that was accepted after it becomes the leaf of its session. */
  async switch(run: RunReference, options: Options = {}): Promise<SessionDetail> {
    runSegment(run)
    const runs = await this.#runsOf(run, options)
    const after = new Set([run.run_id])
    let current_run_id = run.run_id
    for (const { previous_run_id, run_id } of runs) {
      if (!after.has(previous_run_id ?? "")) continue
      after.add(run_id)
      current_run_id = run_id
    }
    const path = `/sessions/${segment(run.session_id)}`
    const call = { ...options, method: "PATCH", path, ...jsonBody({ current_run_id }) }
    return await this.connection.json(call) as SessionDetail
  }

  /** The runs of a session that are not inside of other runs. */
  async #runsOf({ session_id }: Pick<RunReference, "session_id">, options: Options): Promise<Array<SessionRun>> {
    const path = `/sessions/${segment(session_id)}/runs`
    const runs = await this.connection.json({ ...options, method: "GET", path }) as Array<SessionRun>
    return runs.filter(({ is_on_path: place }) => place !== undefined).map((run) => ({ ...run, session_id }))
  }

  /** The fields of a run that comes after the same run as another one. */
  async #beside(reference: RunReference, input: object, options: Options): Promise<RunInput> {
    const id = runSegment(reference)
    const { session_id } = reference
    const path = `/sessions/${segment(session_id)}/runs/${id}`
    const run = await this.connection.json({ ...options, method: "GET", path }) as SessionRun
    const previous_run_id = run.previous_run_id ?? "start"
    return { message: String(run.run_input ?? ""), ...input, session_id, previous_run_id }
  }

  /** Asks the run to end. `get` or the events of the run say when it has. */
  async cancel(run: RunReference, options: Options = {}): Promise<void> {
    const path = this.runPath(run, "/cancel")
    await this.connection.json({ ...options, method: "POST", path, query: { session_id: run.session_id } })
  }
}

refuseMethods(Component.prototype, (self) => `svc.${(self as Component<Kind>).kind}(…)`)

/** An agent or a team: its runs have checkpoints, and its sessions can be copied. */
export class Conversing<K extends "agent" | "team"> extends Component<K> {
  /**
   * Starts a run when the text is read, and returns the text of its answer as it is written. A run that fails, is
   * cancelled or pauses has no whole answer: the text ends with an `SvcRunError`.
   *
   * @example
   * for await (const text of svc.agent("assistant").text("What is 17 times 23?")) process.stdout.write(text)
   */
  text(input: string | RunInput, options: Options = {}): AsyncIterableIterator<string, void> {
    return this.stream(input, options).textStream
  }

  /** The places from which a run can be forked or continued. */
  async checkpoints(run: RunReference, options: Options = {}): Promise<Checkpoints> {
    const [path, query] = [this.runPath(run, "/checkpoints"), { session_id: run.session_id }]
    return await this.connection.json({ ...options, method: "GET", path, query }) as Checkpoints
  }

  /** The run as it was after this many messages. */
  async checkpoint(
    run: RunReference,
    messageIndex: number,
    options: Options = {}
  ): Promise<Kinds[K]["snapshot"]> {
    const [path, query] = [this.runPath(run, `/checkpoints/${messageIndex}`), { session_id: run.session_id }]
    return await this.connection.json({ ...options, method: "GET", path, query }) as Kinds[K]["snapshot"]
  }

  /** Copies a session. The copy continues on its own. */
  async fork(session_id: string, options: Options & { readonly userId?: string } = {}): Promise<SessionForked> {
    const { userId, ...rest } = options
    const path = `${this.path}/sessions/${segment(session_id)}/fork`
    return await this.connection.json({
      ...rest,
      method: "POST",
      path,
      query: { user_id: userId },
      ...jsonBody({})
    }) as SessionForked
  }
}
