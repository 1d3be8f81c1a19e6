// The result of a tool that delegated its call to another run: the end of that run, or its requirements.
import type * as Requirement from "@svc-runtime/domain/Requirement"
import type * as Run from "@svc-runtime/domain/Run"
import { Data, Result } from "effect"

export class ChildRun extends Data.Class<{
  /** Undefined if the call was delegated to several runs. */
  readonly run_id: Run.Id | undefined
  /** The result for the calling model. */
  readonly content: string
  readonly isFailure: boolean
  /** Not empty: the call is open, and is repeated after the decisions. */
  readonly requirements: ReadonlyArray<Requirement.Requirement>
}> {
  static readonly result = ({ content, isFailure }: ChildRun): Result.Result<string, Error> =>
    isFailure ? Result.fail(new Error(content)) : Result.succeed(content)
}
