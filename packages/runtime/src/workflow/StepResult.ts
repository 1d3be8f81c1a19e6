// For a step that has more to say than its content: that the workflow ends here, that it has failed without an error, or
// that it made images, videos, audio or files.
import type { Media } from "@svc/domain"
import { Data } from "effect"

interface Fields<Content> {
  readonly content: Content
  /** The workflow ends after this step. */
  readonly stop?: boolean
  /** False: the step has not done what it should, and the workflow goes on nevertheless. */
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
