// The stream of the contract's own wire: an event of the run becomes a frame with a name, or none.
import type * as Json from "@svc-runtime/domain/Json"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { RunPiece } from "../run/RunPiece.ts"
import * as ContractWire from "./ContractWire.ts"

export interface Frame {
  readonly event: "TaskStatusUpdateEvent" | "Message" | "Task"
  readonly result: Json.Object
}

export interface Start extends ContractWire.Ids {
  readonly newId: () => string
}

export interface ContractStream {
  readonly push: (event: RunEvent.RunEvent, pieces: ReadonlyArray<RunPiece>) => ReadonlyArray<Frame>
}

const category = "svc_content_category"

const camel = (name: string) => name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

const stepName = ({ step_name = "" }: { readonly step_name?: string }) => ({ step_name })

/** What a status says of an event, without its type. Undefined for an event that is not shown. */
const detailsOf = (event: RunEvent.RunEvent): Json.Object | undefined => {
  switch (event.event) {
    case "ToolCallStarted":
    case "TeamToolCallStarted":
    case "ToolCallCompleted":
    case "TeamToolCallCompleted": {
      const { tool_args, tool_call_id, tool_name } = event.tool
      return {
        tool_name,
        tool_call_id,
        ...(tool_args === null || tool_args === undefined ? {} : { tool_args: JSON.stringify(tool_args) })
      }
    }
    case "ReasoningStarted":
    case "TeamReasoningStarted":
    case "ReasoningCompleted":
    case "TeamReasoningCompleted":
    case "MemoryUpdateStarted":
    case "TeamMemoryUpdateStarted":
    case "MemoryUpdateCompleted":
    case "TeamMemoryUpdateCompleted":
      return {}
    case "StepStarted":
    case "StepCompleted":
      return stepName(event)
    case "StepError":
      return { ...stepName(event), error: event.error }
    case "LoopExecutionStarted":
      return { ...stepName(event), max_iterations: event.max_iterations }
    case "LoopIterationStarted":
      return { ...stepName(event), iteration: event.iteration, max_iterations: event.max_iterations }
    case "LoopIterationCompleted":
      return { ...stepName(event), iteration: event.iteration, should_continue: event.should_continue }
    case "LoopExecutionCompleted":
      return { ...stepName(event), total_iterations: event.total_iterations }
    case "ParallelExecutionStarted":
    case "ParallelExecutionCompleted":
      return { ...stepName(event), parallel_step_count: event.parallel_step_count }
    case "ConditionExecutionStarted":
      return { ...stepName(event), condition_result: event.condition_result }
    case "ConditionExecutionCompleted":
      return { ...stepName(event), executed_steps: event.executed_steps }
    case "RouterExecutionStarted":
      return { ...stepName(event), selected_steps: event.selected_steps }
    case "RouterExecutionCompleted":
      return { ...stepName(event), executed_steps: event.executed_steps }
    case "StepsExecutionStarted":
      return { ...stepName(event), steps_count: event.steps_count }
    case "StepsExecutionCompleted":
      return { ...stepName(event), executed_steps: event.executed_steps }
    default:
      return undefined
  }
}

const typeOf = ({ event }: RunEvent.RunEvent): string => {
  const name = event.startsWith("Team") ? event.slice("Team".length) : event
  return /^Step(Started|Completed|Error)$/.test(name) ? `workflow_${camel(name)}` : camel(name)
}

export const make = ({ newId, ...ids }: Start): ContractStream => {
  let messageId = newId()
  let text = ""
  const artifacts: Array<Json.Object> = []

  const status = (state: string, final: boolean, metadata?: Json.Object): Frame => ({
    event: "TaskStatusUpdateEvent",
    result: { kind: "status-update", ...ids, status: { state }, final, ...(metadata === undefined ? {} : { metadata }) }
  })

  const chunk = (delta: string): Frame => ({
    event: "Message",
    result: ContractWire.message({ ...ids, messageId, text: delta, metadata: { [category]: "content" } })
  })

  const end = (state: string, texts: ReadonlyArray<string>, more: {
    readonly status?: Json.Object | undefined
    readonly message?: Json.Object | undefined
  } = {}): ReadonlyArray<Frame> => {
    const whole = ContractWire.message({ ...ids, messageId, text: "", metadata: more.message })
    const parts = texts.filter((each) => each !== "").map((each) => ({ kind: "text", text: each }))
    return [
      status(state, true, more.status),
      { event: "Task", result: ContractWire.task(ids, state, [{ ...whole, parts }], artifacts) }
    ]
  }

  const ofPiece = (piece: RunPiece): ReadonlyArray<Frame> => {
    switch (piece._tag) {
      case "Started":
        return [status("working", false)]
      case "Resumed":
        if (!piece.isVoid) return []
        // the answer that begins again is another message
        messageId = newId()
        text = ""
        return [status("working", false, { svc_event_type: "run_continued" })]
      case "Text":
        text += piece.delta
        return [chunk(piece.delta)]
      case "Medium": {
        const { kind, medium: { url } } = piece
        const count = artifacts.filter(({ name }) => String(name).startsWith(`${kind}-`)).length
        artifacts.push({
          artifactId: newId(),
          name: `${kind}-${count}`,
          parts: url === undefined ? [] : [{ kind: "file", file: { uri: url, mimeType: `${kind}/*` } }]
        })
        return []
      }
      case "Completed": {
        const own = ContractWire.metadataOf(piece.metadata)
        const metrics: Json.Object = { metrics: piece.metrics as Json.Object, ...own }
        return end("completed", [piece.text === "" ? text : piece.text], { status: own, message: metrics })
      }
      case "Paused":
        return end("input-required", [text, piece.text])
      case "Cancelled": {
        const { reason } = piece
        const metadata = { svc_event_type: "run_cancelled", ...(reason === "" ? {} : { reason }) }
        return end("canceled", [text, `Run was cancelled${reason === "" ? "" : `: ${reason}`}`], { status: metadata })
      }
      case "Failed":
        return end("failed", [`Error: ${piece.message}`])
      default:
        return []
    }
  }

  const reasoningStep = (event: RunEvent.RunEvent): ReadonlyArray<Frame> => {
    if (event.event !== "ReasoningStep" && event.event !== "TeamReasoningStep") return []
    const metadata = { [category]: "reasoning", svc_event_type: "reasoning_step" }
    const result = ContractWire.message({ ...ids, messageId: newId(), text: event.reasoning_content, metadata })
    return [{ event: "Message", result }]
  }

  return {
    push: (event, pieces) => {
      const details = detailsOf(event)
      const noted = details === undefined
        ? reasoningStep(event)
        : [status("working", false, { svc_event_type: typeOf(event), ...details })]
      return [...noted, ...pieces.flatMap(ofPiece)]
    }
  }
}
