// The person who decides calls and steps whose outcome is unknown, from the side-effect log: an effect that is logged
// was made, any other is repeated. With these decisions every run ends, and no effect is made twice.
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Client from "./Client.ts"
import type * as SideEffectLog from "./SideEffectLog.ts"
import type { Subject } from "./Subjects.ts"

export interface Asking {
  readonly subject: Subject
  readonly ledger: SideEffectLog.Ledger
  readonly url: string
  readonly run: string
  /** The effects that there may be a question about. */
  readonly unknown: ReadonlyArray<string>
}

/** What a run waits for. */
interface Question {
  /** What it asks about. */
  readonly effects: ReadonlyArray<string>
  /** Says of each what there is of it. */
  readonly answer: (receiptOf: (effect: string) => string | undefined) => Readonly<Record<string, unknown>>
  /** The results of completed steps cannot be given: the steps are skipped. */
  readonly isStep: boolean
}

/** The effect that a call of a run stands for. */
export const effectOf = (run: string, { tool_call_id }: Client.Tool): string =>
  tool_call_id.replace(/^call-(\d+)-(\d+)$/, `${run}.$1.$2`)

/** What an agent or a team waits for, wherever in it: in itself, in its members. */
const ofCalls = (run: string, requirements: ReadonlyArray<Client.Requirement>): Question => {
  const open = requirements.filter((each) =>
    each.tool_execution.outcome_unknown === true && each.confirmation === undefined &&
    each.external_execution_result === undefined
  )
  const about = ({ member_run_id = run, tool_execution }: Client.Requirement) => effectOf(member_run_id, tool_execution)
  return {
    effects: open.map(about),
    isStep: false,
    answer: (receiptOf) => ({
      requirements: open.map((each) => {
        const external_execution_result = receiptOf(about(each))
        return {
          id: each.id,
          ...(external_execution_result === undefined ? { confirmation: true } : { external_execution_result })
        }
      })
    })
  }
}

/** What a workflow waits for: one step at a time, or the executor of a step. */
const ofWorkflow = (
  { error_requirements, step_requirements }: Client.Output,
  { run, unknown }: Asking
): Question | undefined => {
  const failed = error_requirements?.at(-1)
  if (failed?.error_type === "outcome_unknown") {
    const place = [failed.step_index].flat().join("/")
    // the rounds of loops are one step
    const effect = unknown.find((id) => id.replaceAll(/#\d+\//g, "") === `${run}/${place}`) ?? place
    const { id, step_id } = failed
    return {
      effects: [effect],
      isStep: true,
      answer: (receiptOf) => ({
        error_requirements: [{ id, step_id, decision: receiptOf(effect) === undefined ? "retry" : "skip" }]
      })
    }
  }
  const requirement = step_requirements?.at(-1)
  if (requirement === undefined) return undefined
  const { executor_requirements = [], executor_run_id = "", step_id } = requirement
  const { answer, ...question } = ofCalls(executor_run_id, executor_requirements)
  return {
    ...question,
    answer: (receiptOf) => ({
      step_requirements: [{ step_id, executor_requirements: answer(receiptOf)["requirements"] }]
    })
  }
}

const questionOf = (output: Client.Output, asking: Asking): Question | undefined => {
  return asking.subject.path.startsWith("/workflows/")
    ? ofWorkflow(output, asking)
    : ofCalls(output.run_id, output.requirements ?? [])
}

/** Answers what a run asks. Undefined when it asks for nothing. */
export const say = Effect.fnUntraced(function*(asking: Asking) {
  const { ledger, run, subject, url } = asking
  const client = Client.of(subject)
  const output = (yield* Client.attempt(() => client.find(url, run)))!
  if (output.status !== "PAUSED") return undefined
  const question = questionOf(output, asking)
  assert.isNotEmpty(question?.effects ?? [], `${run}: it waits, and asks for nothing`)
  const { answer, effects, isStep } = question!
  const receiptOf = (effect: string) => ledger.of(run).find(({ key }) => key === effect)?.receipt
  const left = isStep ? effects.filter((effect) => receiptOf(effect) !== undefined) : []
  const [[field, value]] = Object.entries(answer(receiptOf)) as [[string, unknown]]
  const received = yield* Client.attempt(() => client.continueRun(url, run, { [field]: JSON.stringify(value) }))
  return { effects, left, received }
})

/** Answers as long as there is something to answer, and gives the decided effects and the skipped steps. */
export const answer = Effect.fnUntraced(function*(asking: Asking) {
  const effects: Array<string> = []
  const left: Array<string> = []
  for (;;) {
    const answered = yield* say(asking)
    if (answered === undefined) return { effects, left }
    // a node that cannot answer now refuses with 503: the person reads the run again, and decides again
    if (answered.received.status === 503) {
      yield* Effect.sleep("200 millis")
      continue
    }
    assert.strictEqual(answered.received.status, 200, `${asking.run}: ${answered.received.text}`)
    assert.notIncludeMembers(effects, [...answered.effects], `${asking.run}: asked once more`)
    effects.push(...answered.effects)
    left.push(...answered.left)
  }
})
