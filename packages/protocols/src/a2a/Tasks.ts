// The task of a stored run.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Run from "@svc-runtime/domain/Run"
import * as Questions from "../pause/Questions.ts"
import { textOf } from "../run/RunPiece.ts"
import {
  type Artifact,
  type Message,
  type Part,
  rejection,
  stateOf,
  type Status,
  type Task,
  timestamp
} from "./Model.ts"
import * as Origin from "./Origin.ts"
import * as Results from "./Results.ts"

export interface Stored {
  readonly run: AnyRun.Output
  /** Of the run, also while it is executing. */
  readonly metadata: Json.Object | null
  /** Epoch seconds. */
  readonly updated_at: number
}

export interface Shown {
  /** The last messages only. All when left out. */
  readonly historyLength?: number | undefined
  readonly hasArtifacts: boolean
}

const mediaParts = ({ audios = [], files = [], images = [], videos = [] }: Media.Media): ReadonlyArray<Part> =>
  [
    ...images.map((medium) => Results.mediumPart("image", medium)),
    ...audios.map((medium) => Results.mediumPart("audio", medium)),
    ...videos.map((medium) => Results.mediumPart("video", medium)),
    ...files.map((medium) => Results.mediumPart("file", medium))
  ].filter((part) => part !== undefined)

/** What the user sent, in parts. */
export const inputParts = (input: Run.Input): ReadonlyArray<Part> => {
  const { input_content, ...media } = input
  const content = Results.answerPart(input_content)
  return [...(content === undefined ? [] : [content]), ...mediaParts(media)]
}

const artifactsOf = (run: AnyRun.Output): ReadonlyArray<Artifact> => {
  const part = run.status === "COMPLETED" || run.status === "REGENERATED" ? Results.answerPart(run.content) : undefined
  const { files = [], images = [], videos = [] } = run
  const audio = AnyRun.audioOf(run)
  const media = [
    ...images.map((medium, index) => Results.mediumArtifact("image", index, medium)),
    ...audio.map((medium, index) => Results.mediumArtifact("audio", index, medium)),
    ...videos.map((medium, index) => Results.mediumArtifact("video", index, medium)),
    ...files.map((medium, index) => Results.mediumArtifact("file", index, medium))
  ]
  return [
    ...(part === undefined ? [] : [Results.answer([part])]),
    ...media.filter((artifact) => artifact !== undefined)
  ]
}

const messageOf = (run: AnyRun.Output, ids: { readonly taskId: string; readonly contextId: string }) => {
  switch (run.status) {
    case "PAUSED":
      return Results.questionsMessage(ids, Questions.of(run))
    case "ERROR":
      return Results.failureMessage(ids, textOf(run.content))
    default:
      return undefined
  }
}

/** The last event of a failed run has the type of its error. */
const isRejected = ({ events, status }: AnyRun.Output): boolean =>
  status === "ERROR" && events?.at(-1)?.["error_type"] === rejection

/** The last messages. */
export const latest = (history: ReadonlyArray<Message>, length: number | undefined): ReadonlyArray<Message> =>
  length === undefined ? history : length === 0 ? [] : history.slice(-length)

export const of = ({ metadata, run, updated_at }: Stored, { hasArtifacts, historyLength }: Shown): Task => {
  const id = run.run_id
  const contextId = run.session_id
  const message = messageOf(run, { taskId: id, contextId })
  const status: Status = {
    state: isRejected(run) ? "TASK_STATE_REJECTED" : stateOf(run.status),
    ...(message === undefined ? {} : { message }),
    timestamp: timestamp(updated_at * 1000)
  }
  const artifacts = hasArtifacts ? artifactsOf(run) : []
  const history = latest(Origin.historyOf({ id, contextId, metadata }, inputParts(AnyRun.inputOf(run))), historyLength)
  const rest = Origin.without(metadata)
  return {
    id,
    contextId,
    status,
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(history.length === 0 ? {} : { history }),
    ...(rest === undefined ? {} : { metadata: rest })
  }
}
