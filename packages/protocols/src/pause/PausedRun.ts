// Paused runs with what they wait for, and which of them an answer of a client is for.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import type { Question } from "./Question.ts"
import * as Questions from "./Questions.ts"

export interface PausedRun {
  readonly run: AnyRun.Output
  /** Also of calls whose approvals are resolved since. */
  readonly questions: ReadonlyArray<Question>
}

export const of = (run: AnyRun.Output): PausedRun => ({ run, questions: Questions.shownOf(run) })

/** With the questions that a client answers, also if another one is shown by now. */
export const answered = ({ run }: PausedRun, isMeant: (question: Question) => boolean): PausedRun => ({
  run,
  questions: Questions.meantOf(run, isMeant)
})

const asksFor = (isMeant: (question: Question) => boolean) => (paused: PausedRun) =>
  answered(paused, isMeant).questions.some(isMeant)

/** The runs that wait for one of these calls: models repeat the ids of calls. */
export const waitingFor = (
  runs: ReadonlyArray<PausedRun>,
  calls: ReadonlySet<string>
): ReadonlyArray<PausedRun> => runs.filter(asksFor(({ toolCallId }) => calls.has(toolCallId)))

/** What is still open in all of them, for the text of an error. */
export const openText = (runs: ReadonlyArray<PausedRun>): string =>
  Questions.openText(runs.flatMap(({ questions }) => questions))

/** The run that asks the question with this id. */
export const asking = (runs: ReadonlyArray<PausedRun>, question: string): PausedRun | undefined =>
  runs.find(asksFor(({ id }) => id === question))

/** The calls that a client has got before, with their arguments: what the run called, and what it waits for. */
export const shownCalls = ({ questions, run: { tools = [] } }: PausedRun): ReadonlyMap<string, Json.Value> =>
  new Map([
    ...tools.map(({ tool_args, tool_call_id }) => [tool_call_id, tool_args ?? {}] as const),
    ...questions.flatMap((each) => {
      const args = Questions.argsOf(each)
      return [[each.calledAs, args] as const, [each.toolCallId, args] as const]
    })
  ])
