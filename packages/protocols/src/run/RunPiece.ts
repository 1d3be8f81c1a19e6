// What every protocol can show of a run of any kind. `RunPieces` makes the pieces from the events of the run.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Usage from "@svc-runtime/domain/Usage"
import type { Question } from "../pause/Question.ts"

interface Piece<Tag extends string> {
  readonly _tag: Tag
  /** The event that the piece is from. One event can have several pieces, and each event has at least one. */
  readonly event: RunEvent.RunEvent
}

export interface Started extends Piece<"Started"> {}

/** After a pause, or on another node. */
export interface Resumed extends Piece<"Resumed"> {
  /** Text of the last segment was of a model answer that broke off: it is void, and the model answers again. */
  readonly isVoid: boolean
  /** The same of reasoning, without any text. */
  readonly isReasoningVoid: boolean
}

/** For protocols whose text cannot be taken back: their streams end with it. The run continues. */
export const answersAgain = "The model answers again: the text so far is void. The run continues"

export interface Text extends Piece<"Text"> {
  readonly delta: string
  /** Counts the answers of the model: text of different segments is not one text. The last one is the answer. */
  readonly segment: number
}

/** In the place of a part of the open text or reasoning that was shown and lost: `ShownWords` of the engine. */
export interface Blank extends Piece<"Blank"> {}

export interface ReasoningStarted extends Piece<"ReasoningStarted"> {}
export interface Reasoning extends Piece<"Reasoning"> {
  readonly delta: string
}
export interface ReasoningEnded extends Piece<"ReasoningEnded"> {}

export interface ToolCallStarted extends Piece<"ToolCallStarted"> {
  readonly id: string
  readonly name: string
  readonly args: Json.Value
}
export interface ToolCallEnded extends Piece<"ToolCallEnded"> {
  readonly id: string
  readonly name: string
  readonly result: string
  readonly isError: boolean
  /** By a person: the call was not executed. */
  readonly isRejected: boolean
}

/** A step of a workflow. */
export interface StepStarted extends Piece<"StepStarted"> {
  readonly id: string
  readonly name: string
}
/** A failed step can be repeated without another start. */
export interface StepEnded extends Piece<"StepEnded"> {
  readonly id: string
  readonly name: string
  readonly error: string | undefined
}

/** A run inside of the run: of a team's member, of a step's executor, of a nested workflow. */
export interface MemberStarted extends Piece<"MemberStarted"> {
  readonly run_id: string
  readonly name: string
}
export interface Member extends Piece<"Member"> {
  readonly run_id: string
  readonly name: string
  readonly piece: RunPiece
}
export interface MemberEnded extends Piece<"MemberEnded"> {
  readonly run_id: string
  readonly name: string
  readonly status: "COMPLETED" | "ERROR" | "CANCELLED" | "PAUSED"
}

export type AnyMedium =
  | { readonly kind: "image"; readonly medium: Media.Image }
  | { readonly kind: "audio"; readonly medium: Media.Audio }
  | { readonly kind: "video"; readonly medium: Media.Video }
  | { readonly kind: "file"; readonly medium: Media.File }

export type Medium = Piece<"Medium"> & AnyMedium

/** The state of the session, whole. */
export interface State extends Piece<"State"> {
  readonly state: Json.Object
}

/** An event of the author. */
export interface Custom extends Piece<"Custom"> {
  readonly name: string
  readonly value: Json.Object
}

export interface Paused extends Piece<"Paused"> {
  /** One sentence for people. */
  readonly text: string
  readonly questions: ReadonlyArray<Question>
  /** Of the requests to models in this stream. */
  readonly usage: Usage.Counters
}

export interface Completed extends Piece<"Completed"> {
  /** The whole answer: an object as JSON. */
  readonly text: string
  readonly content: Json.Value
  /** Of the run since its start, without the runs inside. */
  readonly metrics: Usage.RunMetrics
  /** Of the requests to models in this stream, with those of the runs inside. */
  readonly usage: Usage.Counters
  readonly references: ReadonlyArray<Json.Value>
  readonly citations: Run.Citations | undefined
  /** Undefined for a whole answer. */
  readonly finishReason: Run.FinishReason | undefined
  readonly metadata: Json.Object | undefined
}

export interface Failed extends Piece<"Failed"> {
  readonly message: string
  readonly error_type: string | undefined
  readonly error_id: string | undefined
}

export interface Cancelled extends Piece<"Cancelled"> {
  readonly reason: string
}

/** What no protocol has a message of its own for. */
export interface Other extends Piece<"Other"> {}

export type RunPiece =
  | Started
  | Resumed
  | Text
  | Blank
  | ReasoningStarted
  | Reasoning
  | ReasoningEnded
  | ToolCallStarted
  | ToolCallEnded
  | StepStarted
  | StepEnded
  | MemberStarted
  | Member
  | MemberEnded
  | Medium
  | State
  | Custom
  | Paused
  | Completed
  | Failed
  | Cancelled
  | Other

/** Whether the stream of the run ends with the piece. */
export const isLast = ({ _tag }: RunPiece): boolean =>
  _tag === "Completed" || _tag === "Failed" || _tag === "Cancelled" || _tag === "Paused"

/** A value as one line of text: a string as it is, another value as JSON. */
export const textOf = (value: Json.Value | undefined): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)
