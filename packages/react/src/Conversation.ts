// A conversation with an agent or a team, outside of React: its messages, the run that writes the last one, and what it
// waits for.
import {
  type AgentEvent,
  approve,
  type ContinueInput,
  type Conversing,
  type References,
  reject,
  type Requirement,
  type RunInput,
  type RunReference,
  type RunStream,
  type SessionRun,
  SvcError,
  SvcRunError,
  type TeamEvent,
  type ToolExecution
} from "@svc-runtime/client"

export type Agent = Conversing<"agent"> | Conversing<"team">

export interface Message {
  /** A key for lists. */
  readonly id: string
  readonly role: "user" | "assistant"
  readonly text: string
  /** Undefined until the service has accepted it. */
  readonly run: RunReference | undefined
  /** Reasoning of the model, where its provider shows it. */
  readonly reasoning: string
  readonly tools: ReadonlyArray<ToolExecution>
  /** Passages of knowledge that the answer is based on. */
  readonly references: ReadonlyArray<References>
}

export interface State {
  readonly messages: ReadonlyArray<Message>
  /**
   * `loading`: the session is read. `submitted`: the run has no event yet. `streaming`: the answer is written.
   * `paused`: the run waits for decisions about `requirements`.
   */
  readonly status: "loading" | "ready" | "submitted" | "streaming" | "paused" | "error"
  readonly error: Error | undefined
  readonly requirements: ReadonlyArray<Requirement>
}

/** The events of a team have the same fields. */
type Stream = RunStream<AgentEvent, { readonly status?: unknown }>

/** The methods of agents and teams with the same types. */
const methodsOf = (agent: Agent): Conversing<"agent"> => agent as Conversing<"agent">

const textOf = (content: unknown): string =>
  typeof content === "string" ? content : content === undefined || content === null ? "" : JSON.stringify(content)

const asError = (error: unknown): Error => error instanceof Error ? error : new Error(String(error))

const empty = { run: undefined, reasoning: "", tools: [], references: [] } as const

const messagesOf = (session_id: string, record: SessionRun): ReadonlyArray<Message> => {
  const run = { run_id: record.run_id ?? "", session_id }
  const { reasoning_content, references, tools } = record as Extract<SessionRun, { readonly agent_id: string }>
  const answer = {
    run,
    reasoning: reasoning_content ?? "",
    tools: tools ?? [],
    references: references ?? []
  }
  return [
    { ...empty, id: `${run.run_id} user`, role: "user", text: record.run_input ?? "", run },
    { ...answer, id: run.run_id, role: "assistant", text: textOf(record.content) }
  ]
}

const isOpen = (status: unknown): boolean => status === "PENDING" || status === "RUNNING"

export class Conversation {
  readonly #agent: Conversing<"agent">
  readonly #sessionId: string
  #state: State
  #count = 0
  /** Reads no more when it is aborted. The run continues. */
  #control = new AbortController()
  #loading: Promise<void> | undefined
  #stream: Stream | undefined
  #isStopped = false
  /** Where the answer begins that the model has not finished. */
  #begin = { text: 0, reasoning: 0 }
  readonly #listeners = new Set<() => void>()

  constructor(agent: Agent, sessionId: string, isStored: boolean) {
    this.#agent = methodsOf(agent)
    this.#sessionId = sessionId
    this.#state = { messages: [], status: isStored ? "loading" : "ready", error: undefined, requirements: [] }
  }

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly state = (): State => this.#state

  #set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }

  /** Reads the session, and the events of a run that is not over. A new session has nothing to read. */
  readonly open = (): () => void => {
    this.#control = new AbortController()
    if (this.#state.status === "loading" || this.#state.messages.length > 0) void this.refresh()
    return () => {
      this.#stream = undefined
      this.#control.abort(new Error("The component was unmounted"))
    }
  }

  /** Reads the session again, if no answer is written, for example after another page has changed it. */
  readonly refresh = (): Promise<void> => {
    if (this.#stream !== undefined) return Promise.resolve()
    const { signal } = this.#control
    return this.#loading = this.#load(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#set({ status: "error", error: asError(error) })
    })
  }

  async #load(signal: AbortSignal): Promise<void> {
    const runs = await this.#agent.history(this.#sessionId, { signal }).catch((error: unknown) => {
      if (error instanceof SvcError && error.status === 404) return []
      throw error
    })
    const last = runs.at(-1)
    const output = last?.status === "PAUSED"
      ? await this.#agent.get({ run_id: last.run_id ?? "", session_id: this.#sessionId }, { signal })
      : undefined
    if (signal.aborted) return
    const messages = runs.flatMap((run) => messagesOf(this.#sessionId, run))
    const requirements = output?.requirements ?? []
    this.#set({ messages, requirements, error: undefined, status: output === undefined ? "ready" : "paused" })
    const answer = messages.at(-1)
    if (!isOpen(last?.status) || answer?.run === undefined) return
    // its events begin with the first one, so the answer is written again
    this.#set({ messages: [...messages.slice(0, -1), { ...answer, ...empty, run: answer.run, text: "" }] })
    void this.#follow(this.#agent.watch(answer.run))
  }

  #add(role: Message["role"], text: string): Message {
    return { ...empty, id: `${this.#count++} ${role}`, role, text }
  }

  #change(change: (answer: Message) => Partial<Message>): void {
    const answer = this.#state.messages.at(-1)
    if (answer === undefined) return
    this.#set({ messages: [...this.#state.messages.slice(0, -1), { ...answer, ...change(answer) }] })
  }

  /** Sends a message, and resolves when the run ends or pauses. What fails is in the state. */
  readonly send = async (input: string | RunInput): Promise<void> => {
    const fields = typeof input === "string" ? { message: input } : input
    await this.#loading
    this.#refuseIfBusy()
    const turn = [this.#add("user", textOf(fields.message)), this.#add("assistant", "")]
    await this.#start(fields, [...this.#state.messages, ...turn])
  }

  /** Answers the last message again. The first answer stays stored, as a branch of the session. */
  readonly regenerate = async (): Promise<void> => {
    await this.#loading
    this.#refuseIfBusy()
    const messages = this.#state.messages
    const last = messages.at(-2)
    if (last === undefined) return
    const previous = messages.at(-3)?.run?.run_id ?? "start"
    const fields = { message: last.text, ...(last.run === undefined ? {} : { previous_run_id: previous }) }
    await this.#start(fields, [...messages.slice(0, -1), this.#add("assistant", "")])
  }

  #refuseIfBusy(): void {
    const { status } = this.#state
    if (status === "submitted" || status === "streaming") throw new Error("An answer is written: wait, or stop it")
  }

  #start(fields: RunInput, messages: ReadonlyArray<Message>): Promise<void> {
    this.#set({ messages, status: "submitted", error: undefined, requirements: [] })
    return this.#follow(this.#agent.stream({ ...fields, session_id: this.#sessionId }))
  }

  /** Continues the paused run with decisions about its requirements. */
  readonly decide = async (decisions: ContinueInput): Promise<void> => {
    const { messages, requirements, status } = this.#state
    const run = messages.at(-1)?.run
    if (status !== "paused" || run === undefined) throw new Error("No run waits for a decision")
    this.#set({ status: "submitted", error: undefined, requirements: [] })
    const stream = this.#agent.continueStream(run, decisions)
    await this.#follow(stream)
    // a decision that was refused, or has not arrived, leaves the run as it was
    if (this.#state.error !== undefined && stream.run === undefined) this.#set({ status: "paused", requirements })
  }

  readonly approve = (): Promise<void> => this.decide(approve({ requirements: [...this.#state.requirements] }))

  readonly reject = (note?: string): Promise<void> =>
    this.decide(reject({ requirements: [...this.#state.requirements] }, note))

  /** Cancels the run. The text so far stays. */
  readonly stop = async (): Promise<void> => {
    const run = this.#stream?.run
    this.#isStopped = this.#stream !== undefined && run === undefined
    if (run !== undefined) await this.#agent.cancel(run)
  }

  async #follow(stream: Stream): Promise<void> {
    const { signal } = this.#control
    const events = stream[Symbol.asyncIterator]()
    // a run that the service has not accepted yet is accepted first
    const leave = () => {
      if (stream.run !== undefined) void events.return()
    }
    signal.addEventListener("abort", leave)
    this.#stream = stream
    this.#isStopped = false
    this.#finish()
    try {
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        if (signal.aborted) break
        if (this.#isStopped && stream.run !== undefined) {
          this.#isStopped = false
          await this.#agent.cancel(stream.run)
        }
        if (next.value.run_id === stream.run?.run_id) this.#read(next.value)
      }
    } catch (error) {
      if (!signal.aborted) this.#set({ status: "error", error: asError(error) })
    } finally {
      signal.removeEventListener("abort", leave)
      if (this.#stream === stream) this.#stream = undefined
      void events.return()
    }
  }

  /** An event of the run itself. Those of members are not part of the answer. */
  #read(event: AgentEvent | TeamEvent): void {
    const { run_id, session_id } = event
    const run = { run_id, session_id }
    switch (event.event) {
      case "RunStarted":
      case "TeamRunStarted":
        this.#mark(run)
        return this.#set({ status: "streaming", requirements: [] })
      case "RunContinued":
      case "TeamRunContinued": {
        const { reasoning: thought, text: written } = this.#begin
        this.#change(({ reasoning, text }) => ({
          text: text.slice(0, written),
          reasoning: reasoning.slice(0, thought)
        }))
        this.#mark(run)
        return this.#set({ status: "streaming", requirements: [] })
      }
      case "ModelRequestCompleted":
      case "TeamModelRequestCompleted":
        return this.#finish()
      case "RunContent":
      case "TeamRunContent":
        return this.#change(({ reasoning, text }) => ({
          text: text + event.text,
          reasoning: reasoning + event.reasoning_content
        }))
      case "ToolCallStarted":
      case "ToolCallCompleted":
      case "ToolCallError":
      case "TeamToolCallStarted":
      case "TeamToolCallCompleted":
      case "TeamToolCallError":
        return this.#change(({ tools }) => ({ tools: withTool(tools, event.tool) }))
      case "RunCompleted":
      case "TeamRunCompleted":
        this.#change(() => ({ text: event.text, references: event.references ?? [] }))
        return this.#set({ status: "ready" })
      case "RunPaused":
      case "TeamRunPaused":
        return this.#set({ status: "paused", requirements: event.requirements })
      case "RunCancelled":
      case "TeamRunCancelled":
        return this.#set({ status: "ready" })
      case "RunError":
      case "TeamRunError":
        return this.#set({ status: "error", error: new SvcRunError("ERROR", event.content ?? "The run failed", run) })
    }
  }

  /** What is written so far stays when the run is resumed. */
  #finish(): void {
    const { reasoning = "", text = "" } = this.#state.messages.at(-1) ?? {}
    this.#begin = { text: text.length, reasoning: reasoning.length }
  }

  /** The last two messages are those of the run. */
  #mark(run: RunReference): void {
    const { messages } = this.#state
    this.#set({ messages: [...messages.slice(0, -2), ...messages.slice(-2).map((message) => ({ ...message, run }))] })
  }
}

const withTool = (tools: ReadonlyArray<ToolExecution>, tool: ToolExecution): ReadonlyArray<ToolExecution> => {
  const index = tools.findIndex(({ tool_call_id }) => tool_call_id === tool.tool_call_id)
  return index < 0 ? [...tools, tool] : tools.with(index, tool)
}
