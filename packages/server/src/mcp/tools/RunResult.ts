// The result of a run as the answer of a tool: its text, its media that are stored as bytes, and its ids. It is the
// same for every kind of component.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import { Reference } from "@svc-runtime/domain/Reference"
import * as Run from "@svc-runtime/domain/Run"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import type { ResultMode } from "@svc-runtime/http/mcpTool/McpOptions"
import * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import * as Questions from "@svc-runtime/protocols/pause/Questions"
import { Effect, Option, Schema, Struct } from "effect"
import { McpSchema } from "effect/ai"

/** What a workflow waits for, behind the output of its steps so far. Agents and teams say it in their content. */
const questionsOf = (output: AnyRun.Output): string => {
  if (output.status !== "PAUSED" || !AnyRun.isWorkflow(output)) return ""
  const messages = Questions.of(output).map(({ message }) => message)
  return messages.length === 0 ? "" : `The run waits: ${messages.join(" ")}`
}

const textOf = (output: AnyRun.Output): string => {
  const { content = "" } = output
  const texts = [typeof content === "string" ? content : JSON.stringify(content), questionsOf(output)]
    .filter((text) => text !== "")
  if (texts.length > 0) return texts.join("\n\n")
  const requirements = waitingFor(output)
  return requirements === undefined ? "" : `Run paused: ${requirements.length} requirement(s) awaiting resolution.`
}

interface StoredMedia {
  readonly content?: string | undefined
  readonly mime_type?: string | undefined
}

const decodeBytes = Schema.decodeUnknownOption(Schema.Uint8ArrayFromBase64)

/** Media that are stored as bytes. The stored run has the addresses of other media. */
const bytesOf = (media: ReadonlyArray<StoredMedia | undefined> | undefined) =>
  (media ?? []).flatMap((held) => {
    const data = decodeBytes(held?.content)
    return Option.isSome(data) ? [{ data: data.value, mimeType: held?.mime_type }] : []
  })

const imagesOf = ({ images }: AnyRun.Output) =>
  bytesOf(images).map(({ data, mimeType = "image/png" }) =>
    McpSchema.ImageContent.make({ type: "image", data, mimeType })
  )

const audioOf = ({ audio, response_audio }: AnyRun.Output) =>
  bytesOf([...audio ?? [], response_audio]).map(({ data, mimeType = "audio/mpeg" }) =>
    McpSchema.AudioContent.make({ type: "audio", data, mimeType })
  )

const contentOf = (output: AnyRun.Output) => [McpTool.text(textOf(output)), ...imagesOf(output), ...audioOf(output)]

/** Without the text: the model has read it. */
const Source = Schema.Struct(Struct.omit(Reference.fields, ["content", "meta_data"]))

const Output = Schema.Struct({
  run_id: Schema.String,
  session_id: Schema.String,
  status: Run.Status,
  /** Why the answer ends before its end. */
  finish_reason: Schema.optionalKey(Run.FinishReason),
  /** What a paused run waits for. A client sends them back, each with its decision. */
  requirements: Schema.optionalKey(Schema.Array(Json.Object)),
  /** What of its knowledge the run was shown, each chunk once. */
  references: Schema.optionalKey(Schema.Array(Source))
})

const sourcesOf = ({ references = [] }: AnyRun.Output): ReadonlyArray<typeof Source.Type> => {
  const found = references.flatMap((each) => each.references)
  const sources = found.map(({ chunk, content_id, content_origin, name, score }) =>
    [`${content_id} ${chunk}`, { content_id, name, chunk, score, content_origin }] as const
  )
  return [...new Map(sources).values()]
}

/** What a workflow waits for: decisions on its failed steps, and on its questions. */
const stepsWaitedFor = ({ error_requirements = [], step_requirements = [] }: WorkflowRun.Output) => {
  const undecided = error_requirements.filter(({ decision }) => decision === undefined || decision === null)
  const open = step_requirements.filter(({ resolved }) => resolved === false)
  // runs of earlier versions do not say which ones wait
  return undecided.length + open.length > 0 ? [...undecided, ...open] : step_requirements.slice(-1)
}

/** The requirements without a decision. */
const waitingFor = (output: AnyRun.Output): ReadonlyArray<Json.Object> | undefined => {
  if (output.status !== "PAUSED") return undefined
  const requirements = AnyRun.isAgentOrTeam(output)
    ? (output.requirements ?? []).filter(({ tool_execution }) => ToolExecution.isPaused(tool_execution))
    : stepsWaitedFor(output)
  return requirements.map((requirement) => Json.of(requirement))
}

const trimmed = (output: AnyRun.Output) => {
  const { run_id, session_id, status } = output
  const requirements = waitingFor(output)
  const references = sourcesOf(output)
  return {
    content: contentOf(output),
    structured: {
      run_id,
      session_id,
      status,
      ...(output.finish_reason === undefined ? {} : { finish_reason: output.finish_reason }),
      ...(requirements === undefined ? {} : { requirements }),
      ...(references.length === 0 ? {} : { references })
    }
  }
}

/** All of the run, without its media as blocks: they are in it. */
const full = (output: AnyRun.Output) => ({
  content: [McpTool.text(textOf(output))],
  structured: AnyRun.toRecord(output)
})

export interface RunResult {
  readonly output: Schema.Codec<Json.Object>
  readonly make: (
    output: AnyRun.Output
  ) => Effect.Effect<McpTool.Answer<Json.Object>, McpTool.ToolRejected>
}

/** How the tools that wait for a run show it. */
export const ofMode = (mode: ResultMode): RunResult => ({
  output: (mode === "full" ? Json.Object : Output) as unknown as RunResult["output"],
  make: (output) =>
    output.status === "ERROR"
      ? Effect.fail(new McpTool.ToolRejected({ detail: textOf(output) }))
      : Effect.succeed((mode === "full" ? full(output) : trimmed(output)) as McpTool.Answer<Json.Object>)
})
