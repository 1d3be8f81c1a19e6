// What a tool gives that has handed its call to another run: what came of that run, or what it waits for.
import type { Requirement, Run } from "@svc/domain"
import { Data, Result } from "effect"

export class ChildRun extends Data.Class<{
  /** Undefined when the call was handed to several. */
  readonly run_id: Run.Id | undefined
  /** What the model that made the call is told. */
  readonly content: string
  readonly isFailure: boolean
  /** Not empty: the call is not answered yet, and is made again when somebody has said what these ask for. */
  readonly requirements: ReadonlyArray<Requirement.Requirement>
}> {
  static readonly result = ({ content, isFailure }: ChildRun): Result.Result<string, Error> =>
    isFailure ? Result.fail(new Error(content)) : Result.succeed(content)
}
