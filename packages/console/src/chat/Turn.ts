// One turn of a conversation: what the person has sent, and what a run made of it. Runs have runs inside: members of a
// team, steps of a workflow. All of them are activities with parts.
import {
  type Citations,
  type ErrorRequirement,
  newIdempotencyKey,
  type Requirement,
  type RunReference,
  type StepRequirement,
  type ToolExecution
} from "@svc-runtime/client"
import type { Medium } from "./Medium.ts"

export interface Text {
  readonly type: "text" | "reasoning"
  text: string
}

export interface Call {
  readonly type: "call"
  tool: ToolExecution
  state: "executing" | "completed" | "failed"
}

export interface Note {
  readonly type: "note"
  readonly text: string
}

/** A structured answer. */
export interface Value {
  readonly type: "value"
  value: unknown
  /** More of it comes. */
  isGrowing: boolean
}

/** What an answer is based on. */
export interface Sources {
  readonly type: "sources"
  readonly citations: Citations | undefined
  readonly references: ReadonlyArray<unknown>
}

/** Of a run that has ended, as events and stored runs have them. */
export const sourcesOf = (
  { citations, references }: {
    readonly citations?: Citations | null | undefined
    readonly references?: ReadonlyArray<unknown> | null | undefined
  }
): ReadonlyArray<Sources> => {
  const isEmpty = (references ?? []).length === 0 && (citations ?? undefined) === undefined
  return isEmpty ? [] : [{ type: "sources", citations: citations ?? undefined, references: references ?? [] }]
}

export type Part = Text | Value | Call | Note | Medium | Sources | Activity

/** The turn's run, a run inside of it, or a step. */
export interface Activity {
  readonly type: "activity"
  readonly title: string
  state: "executing" | "completed" | "failed" | "paused" | "cancelled"
  readonly parts: Array<Part>
}

export interface Figures {
  readonly tokens?: number | undefined
  readonly cost?: number | undefined
  /** Seconds. */
  readonly duration?: number | undefined
}

export interface Turn {
  readonly key: string
  readonly input: string
  readonly files: ReadonlyArray<string>
  run: RunReference | undefined
  root: Activity
  /** What a paused run waits for. */
  requirements: ReadonlyArray<Requirement>
  stepRequirements: ReadonlyArray<StepRequirement>
  errorRequirements: ReadonlyArray<ErrorRequirement>
  figures: Figures
  error: unknown
  /** Messages that the run suggests. */
  readonly followups?: ReadonlyArray<string>
  /** Reads on, or sends the message again, after the service could not be reached. */
  again?: (() => void) | undefined
  model: string | undefined
  /** Changes with each change of the turn, so that it is shown again. */
  version: number
}

export const make = (input: string, files: ReadonlyArray<string> = []): Turn => ({
  key: newIdempotencyKey(),
  input,
  files,
  run: undefined,
  root: { type: "activity", title: "", state: "executing", parts: [] },
  requirements: [],
  stepRequirements: [],
  errorRequirements: [],
  figures: {},
  error: undefined,
  model: undefined,
  version: 0
})

/** It waits for nothing any more. */
export const decided = { requirements: [], stepRequirements: [], errorRequirements: [] }

export const isExecuting = ({ root }: Turn): boolean => root.state === "executing"
