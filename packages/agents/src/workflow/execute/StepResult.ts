// A step result with more than content: ending the workflow, a failure without an error, or media.
import type * as Media from "@svc-runtime/domain/Media"
import { Data } from "effect"

interface Fields<Content> {
  readonly content: Content
  /** Ends the workflow after this step. */
  readonly stop?: boolean
  /** False: the step failed, and the workflow continues. */
  readonly success?: boolean
  readonly images?: ReadonlyArray<Media.Image>
  readonly videos?: ReadonlyArray<Media.Video>
  readonly audio?: ReadonlyArray<Media.Audio>
  readonly files?: ReadonlyArray<Media.File>
}

export class StepResult<Content> extends Data.Class<Fields<unknown>> {
  declare readonly content: Content
}

export const make = <Content>(fields: Fields<Content>): StepResult<Content> => new StepResult(fields)
