// Adds the events of a run to its turn.
import type { AgentEvent, TeamEvent, WorkflowEvent } from "@svc-runtime/client"
import { mediaOf, type WithMedia } from "./Medium.ts"
import { type Metrics, usedBy } from "./StoredTurns.ts"
import { type Activity, type Call, decided, type Part, type Sources, sourcesOf, type Text, type Turn } from "./Turn.ts"

type Event = AgentEvent | TeamEvent | WorkflowEvent

/** What most events have. Those of workflows have no `tool`, and so on. */
interface Fields extends WithMedia {
  readonly event: string
  readonly run_id?: string | undefined
  readonly session_id?: string | undefined
  readonly parent_run_id?: string | undefined
  readonly agent_id?: string | undefined
  readonly agent_name?: string | undefined
  readonly team_id?: string | undefined
  readonly team_name?: string | undefined
  readonly step_id?: string | undefined
  readonly step_name?: string | undefined
  readonly content?: unknown
  readonly content_partial?: unknown
  readonly reasoning_content?: string | undefined
  readonly tool?: Call["tool"] | undefined
  readonly model?: string | undefined
  readonly requirements?: Turn["requirements"] | undefined
  readonly step_requirements?: Turn["stepRequirements"] | undefined
  readonly error_requirements?: Turn["errorRequirements"] | undefined
  readonly metrics?: Metrics | undefined
  readonly total_metrics?: Metrics | undefined
  readonly from_model?: string | undefined
  readonly error?: unknown
  readonly references?: ReadonlyArray<unknown> | undefined
  readonly citations?: Sources["citations"] | undefined
}

const shown = (content: unknown): string =>
  typeof content === "string"
    ? content
    : content === null || content === undefined
    ? ""
    : JSON.stringify(content, null, 2)

const append = (parts: Array<Part>, type: Text["type"], text: string) => {
  if (text === "") return
  const last = parts.at(-1)
  if (last?.type === type) last.text += text
  else parts.push({ type, text })
}

/** A later value of a structured answer replaces the one before. */
const grow = (parts: Array<Part>, value: unknown, isGrowing: boolean) => {
  const before = parts.findLast((part) => part.type === "value" && part.isGrowing)
  if (before === undefined) parts.push({ type: "value", value, isGrowing })
  else Object.assign(before, { value, isGrowing })
}

const isStructured = (content: unknown): boolean => typeof content === "object" && content !== null

const callsOf = (parts: ReadonlyArray<Part>): ReadonlyArray<Call> => parts.filter((part) => part.type === "call")

const ends: Readonly<Record<string, Activity["state"]>> = {
  Completed: "completed",
  Error: "failed",
  Cancelled: "cancelled",
  Paused: "paused"
}

/** The activities of a turn by the ids of their runs and steps. */
export class TurnEvents {
  readonly #turn: Turn
  readonly #activities = new Map<string, Activity>()
  readonly #hasText = new Set<Activity>()
  /** Where the parts of the request to the model begin that has not ended. */
  readonly #requests = new Map<Activity, number>()

  constructor(turn: Turn) {
    this.#turn = turn
  }

  #inside(parent: Activity, id: string, title: string): Activity {
    const found = this.#activities.get(id)
    if (found !== undefined) return found
    const made = this.#paused(parent, title) ?? { type: "activity", title, state: "executing", parts: [] }
    this.#activities.set(id, made)
    if (!parent.parts.includes(made)) parent.parts.push(made)
    return made
  }

  /** What was stored while it was paused is continued. */
  #paused(parent: Activity, title: string): Activity | undefined {
    const known = new Set(this.#activities.values())
    return parent.parts.find((part) =>
      part.type === "activity" && part.title === title && part.state === "paused" && !known.has(part)
    ) as Activity | undefined
  }

  /** What was inside of a run that ended has ended with it. */
  #settle(activity: Activity, state: Activity["state"]) {
    for (const part of activity.parts) {
      if (part.type !== "activity") continue
      if (part.state === "executing") part.state = state
      this.#settle(part, state)
    }
  }

  /** The step of a workflow that the event belongs to, or the run around it. */
  #around({ parent_run_id, step_id }: Fields): Activity {
    const step = step_id === undefined ? undefined : this.#activities.get(`step ${step_id}`)
    if (step !== undefined) return step
    return (parent_run_id === undefined ? undefined : this.#activities.get(parent_run_id)) ?? this.#turn.root
  }

  #of(event: Fields): Activity {
    const { agent_id, agent_name, run_id, team_id, team_name } = event
    if (run_id === undefined || run_id === this.#turn.run?.run_id) return this.#turn.root
    return this.#inside(this.#around(event), run_id, agent_name ?? agent_id ?? team_name ?? team_id ?? "run")
  }

  #text(activity: Activity, { content, reasoning_content }: Fields) {
    append(activity.parts, "reasoning", reasoning_content ?? "")
    const text = shown(content)
    if (text === "") return
    this.#hasText.add(activity)
    if (isStructured(content)) grow(activity.parts, content, false)
    else append(activity.parts, "text", text)
  }

  #media(activity: Activity, event: Fields) {
    const known = new Set(activity.parts.map((part) => part.type === "medium" ? part.source.id : undefined))
    activity.parts.push(...mediaOf(event).filter(({ source: { id } }) => id === undefined || !known.has(id)))
  }

  #call(activity: Activity, { tool }: Fields, state: Call["state"]) {
    if (tool === undefined) return
    const known = callsOf(activity.parts).find((call) => call.tool.tool_call_id === tool.tool_call_id)
    if (known === undefined) activity.parts.push({ type: "call", tool, state })
    else Object.assign(known, { tool, state })
  }

  #end(activity: Activity, event: Fields, state: Activity["state"]) {
    activity.state = state
    this.#settle(activity, state)
    const text = shown(event.content) || shown(event.error)
    if (state === "completed" && text !== "" && !this.#hasText.has(activity)) {
      this.#text(activity, { ...event, reasoning_content: "" })
    }
    this.#media(activity, event)
    activity.parts.push(...sourcesOf(event))
    if (activity !== this.#turn.root) return
    const { metrics } = event
    if (metrics !== undefined) {
      const { cost, total_tokens: tokens } = usedBy(event)
      this.#turn.figures = { tokens, cost, duration: metrics.duration }
    }
    if (state === "failed") this.#turn.error = new Error(text === "" ? "The run failed" : text)
    if (state === "paused") {
      this.#turn.requirements = event.requirements ?? []
      this.#turn.stepRequirements = event.step_requirements ?? []
      this.#turn.errorRequirements = event.error_requirements ?? []
    }
  }

  /** A request that is repeated, as after a crash of its node, begins its answer again. */
  #request(activity: Activity) {
    const from = this.#requests.get(activity)
    if (from !== undefined) activity.parts.splice(from)
    this.#requests.set(activity, activity.parts.length)
  }

  #step(event: Fields, state: Activity["state"]) {
    const activity = this.#inside(
      this.#turn.root,
      `step ${event.step_id ?? event.step_name}`,
      event.step_name ?? "step"
    )
    activity.state = state
    if (state === "completed" && activity.parts.length === 0) append(activity.parts, "text", shown(event.content))
    if (state === "failed") append(activity.parts, "text", shown(event.error) || shown(event.content))
  }

  add(given: Event): void {
    const event: Fields = given
    const turn = this.#turn
    if (turn.run === undefined && event.run_id !== undefined && event.session_id !== undefined) {
      turn.run = { run_id: event.run_id, session_id: event.session_id }
    }
    turn.version++
    const name = event.event.replace(/^Team/, "")
    const end = ends[name.replace(/^(Run|Workflow)/, "")]
    if (/^(Run|Workflow)(Completed|Error|Cancelled|Paused)$/.test(name) && end !== undefined) {
      return this.#end(this.#of(event), event, end)
    }
    switch (name) {
      case "RunStarted":
      case "WorkflowStarted":
      case "RunContinued":
      case "StepContinued": {
        const activity = this.#of(event)
        activity.state = "executing"
        if (activity === turn.root) {
          Object.assign(turn, { ...decided, model: event.model ?? turn.model })
        }
        return
      }
      case "RunContent":
      case "ReasoningContentDelta":
        this.#text(this.#of(event), event)
        return this.#media(this.#of(event), event)
      case "RunContentPartial":
        return grow(this.#of(event).parts, event.content_partial, true)
      case "ModelRequestStarted":
        return this.#request(this.#of(event))
      case "ModelRequestCompleted":
        return void this.#requests.delete(this.#of(event))
      case "ToolCallStarted":
        return this.#call(this.#of(event), event, "executing")
      case "ToolCallCompleted":
        return this.#call(this.#of(event), event, event.tool?.tool_call_error === true ? "failed" : "completed")
      case "ToolCallError":
        return this.#call(this.#of(event), event, "failed")
      case "StepStarted":
        return this.#step(event, "executing")
      case "StepCompleted":
        return this.#step(event, "completed")
      case "StepError":
        return this.#step(event, "failed")
      case "StepPaused":
      case "RouterPaused":
      case "StepExecutorPaused":
        return this.#step(event, "paused")
      case "StepExecutorContinued":
        return this.#step(event, "executing")
      case "ModelFallback":
        return void this.#of(event).parts.push({ type: "note", text: `The model failed, and another one is used` })
      default:
    }
  }
}
