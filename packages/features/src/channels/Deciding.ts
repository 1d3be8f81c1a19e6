// What people decide about paused runs, with buttons and in words, by the one door that all decisions take. The message
// that asks shows what was decided, and another reply shows how the run continues. Both have causes of their own, so
// that they are written once, however it is noticed that the run continues.
import * as Caller from "@svc-runtime/agents/runService/Caller"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Run from "@svc-runtime/domain/Run"
import { isStorageUnavailable, type StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Answer } from "@svc-runtime/protocols/pause/Answer"
import type { AnswerRejected } from "@svc-runtime/protocols/pause/AnswerRejected"
import * as Decisions from "@svc-runtime/protocols/pause/Decisions"
import type { Question } from "@svc-runtime/protocols/pause/Question"
import * as Questions from "@svc-runtime/protocols/pause/Questions"
import { Effect, Option, Result } from "effect"
import type { Asking, ShownRun, Waiting } from "./ChannelRows.ts"
import type { ChannelStore, Handling } from "./ChannelStore.ts"
import type { LiveChannel, LiveChannels } from "./LiveChannels.ts"
import type { Person } from "./Policy.ts"
import * as Prompts from "./Prompts.ts"
import * as Replies from "./Replies.ts"
import * as Sentences from "./Sentences.ts"

/** What an event leads to. */
export type Handled = Omit<Handling, "at" | "replies"> & { readonly says?: ReadonlyArray<Replies.Content> }

export const say = (text: string): Handled => ({ says: [{ text }] })

/** What is answered together with what the reply asks: also calls that an approval decides. */
const meantBy = (run: AnyRun.Output, { pending: { question } }: Pick<Asking, "pending">) =>
  run.status === "PAUSED" ? Questions.meantOf(run, ({ id }) => id === question) : []

const openOf = (questions: ReadonlyArray<Question>) => questions.filter(({ approval }) => approval === undefined)

/** Whether the run waits for what the reply asks. */
export const isOpen = (run: AnyRun.Output, asking: Pick<Asking, "pending">): boolean => {
  const { pending: { question } } = asking
  const questions = openOf(meantBy(run, asking))
  // what waits for a time or an event asks nothing
  return question === ""
    ? run.status === "PAUSED" && questions.length === 0
    : questions.some(({ id }) => id === question)
}

/**
 * Whether a run that continues with another answer still waits for this one. `run`: with what was decided about it.
 */
export const isKept = (run: AnyRun.Output, asking: Pick<Asking, "pending">): boolean =>
  Run.isActive(run.status) && asking.pending.question !== "" && isOpen({ ...run, status: "PAUSED" }, asking)

/** The message that asks shows what was decided. */
const shown = ({ id, pending }: Asking, decision: string): Replies.Content => ({
  cause: `decided ${id}`,
  text: `${pending.text}\n\n${decision}`,
  edits: id
})

const continuing = ({ pending: { after }, user_id }: Asking, run: ShownRun): Replies.Content => ({
  cause: `run ${run.run_id} ${after}`,
  run: { ...run, after },
  user_id
})

/** Answers before the last one count only with it. */
const overruled = ({ pending: { answered = [] } }: Asking, run: AnyRun.Output): ReadonlyArray<Replies.Content> =>
  answered.map(({ question, reply, text }) => ({
    cause: `overruled ${reply}`,
    text: `${text}\n\n${Prompts.decidedElsewhere(run, question)}`,
    edits: reply
  }))

/**
 * What is written when the run continues, or has ended, without a decision in the conversation. `run`: with what was
 * decided about it.
 */
export const elsewhere = (
  asking: Asking,
  shownRun: ShownRun,
  run: AnyRun.Output | "gone"
): ReadonlyArray<Replies.Content> => {
  if (run === "gone") return [shown(asking, Sentences.gone)]
  const { pending: { question } } = asking
  return [
    ...overruled(asking, run),
    ...(question === "" ? [] : [shown(asking, Prompts.decidedElsewhere(run, question))]),
    continuing(asking, shownRun)
  ]
}

export const repliesOf = (
  says: ReadonlyArray<Replies.Content>,
  { channel, id, is_direct, place, sender, thread }: Asking
) => Replies.make({ channel, is_direct, place, sender, thread, cause: `asking ${id}` }, says)

export interface Deciding {
  readonly channel: LiveChannel
  readonly waiting: Waiting
  readonly person: Person
  readonly asking: Asking
  /** Undefined: the event is no answer. */
  readonly read: (question: Question) => Result.Result<Prompts.Given, AnswerRejected> | undefined
}

export const make = (store: ChannelStore["Service"], channels: LiveChannels["Service"]) => {
  /** None: the event is no answer. */
  const decide = Effect.fnUntraced(function*(
    { asking, channel, person, read, waiting }: Deciding,
    run: ShownRun
  ): Effect.fn.Return<Option.Option<Handled>, StorageUnavailable> {
    const { approver, principal } = person
    const { pending, user_id } = asking
    const { event } = waiting
    const caller = Caller.make(approver ?? principal)
    const { run_id, session_id } = run
    const component = { kind: run.kind, id: run.id }
    const runs = yield* channels.runs
    const query = { caller, component, run_id, session_id, partOf: "continue" } as const
    const key = { key: `channel ${waiting.channel} ${event.id}`, fingerprint: event.id }

    /** An earlier attempt at this event has continued the run. */
    const wasOwn = Effect.orElseSucceed(runs.wasContinued(query, key), () => false)

    const tooLate = Effect.fnUntraced(function*(current: AnyRun.Output, isOwn: boolean) {
      const decided = yield* Effect.orElseSucceed(runs.decided(query), () => current)
      if (!asking.is_decided && isKept(decided, asking)) return say(Sentences.continuesWithAnother)
      const handled: Handled = {
        ...(asking.is_decided ? {} : { decided: asking.id }),
        says: [
          ...(asking.is_decided ? [] : elsewhere(asking, run, decided)),
          ...(isOwn ? [] : [{ text: Sentences.decided }])
        ]
      }
      return handled
    })

    const found = yield* Effect.result(runs.get(query))
    if (Result.isFailure(found)) {
      const { failure } = found
      if (isStorageUnavailable(failure)) return yield* Effect.fail(failure)
      return Option.some(say(failure._tag === "ComponentNotFound" ? Sentences.unavailable : Sentences.notYours))
    }
    const meant = meantBy(found.success, asking)
    const questions = openOf(meant)
    const question = questions.find(({ id }) => id === pending.question)
    if (asking.is_decided || question === undefined) {
      const isOwn = yield* wasOwn
      return event.type === "press" || isOwn ? Option.some(yield* tooLate(found.success, isOwn)) : Option.none()
    }
    const reading = read(question)
    if (reading === undefined) return Option.none()
    if (question.needsApproval && approver === undefined) return Option.some(say(Sentences.needsApproval))
    if (Result.isFailure(reading)) return Option.some(say(reading.failure.message))
    const given = reading.success
    if (given._tag === "Awaits") {
      const text = Prompts.askFor(given.field)
      return Option.some({
        asks: { id: asking.id, pending: { ...pending, awaits: given.awaits } },
        says: [{ text, asks: given.field.label }]
      })
    }
    const { answer } = given
    const answers = new Map([...pending.answers as ReadonlyArray<readonly [string, Answer]>, [question.id, answer]])
    const decision = shown(asking, Prompts.decidedText(answer, event.sender.name ?? event.sender.id))
    const next = questions.find(({ id, needsApproval }) => !answers.has(id) && !needsApproval) ??
      questions.find(({ id }) => !answers.has(id))
    if (next !== undefined) {
      const { awaits: _, ...kept } = pending
      const asks = {
        ...kept,
        ...Prompts.pendingOf(next, channel.adapter.limits, asking.sender?.id ?? event.sender.id),
        answers: [...answers] as never,
        answered: [...pending.answered ?? [], { question: question.id, reply: asking.id, text: pending.text }]
      }
      const cause = `question ${run_id} ${pending.after} ${next.id}`
      return Option.some({
        decided: asking.id,
        says: [decision, { cause, run, user_id, text: asks.text, pending: asks }]
      })
    }
    const decisions = Decisions.of(meant, answers)
    if (Result.isFailure(decisions)) return Option.some(say(decisions.failure.message))
    const continued = yield* Effect.result(runs.continue({
      component,
      caller,
      run_id,
      session_id,
      user_id: undefined,
      decisions: decisions.success,
      input: undefined,
      fork: undefined,
      stream: true,
      background: true,
      key
    }))
    if (Result.isFailure(continued)) {
      const { failure } = continued
      if (isStorageUnavailable(failure)) return yield* Effect.fail(failure)
      if (failure._tag === "RunForbidden" || failure._tag === "RunNotFound") return Option.some(say(Sentences.notYours))
      const current = yield* Effect.result(runs.get(query))
      if (Result.isSuccess(current) && !isOpen(current.success, asking)) {
        return Option.some(yield* tooLate(current.success, yield* wasOwn))
      }
      yield* Effect.logWarning("A decision of a channel was refused", failure)
      return Option.some(say(failure.message))
    }
    return Option.some({ decided: asking.id, says: [decision, continuing(asking, run)] })
  })

  const hasBegun = Effect.fnUntraced(
    function*({ channel, event: { thread }, run_id, session_id }: Waiting, { user_id }: Person) {
      const known = yield* store.sessionOf({ channel, thread, user_id })
      const sessions = [session_id, ...Option.toArray(known)]
      const begun = yield* (yield* channels.runs).outlines({
        caller: Caller.internal(),
        runs: sessions.map((session_id) => ({ run_id, session_id }))
      })
      return begun.length > 0
    }
  )

  return {
    onPress: Effect.fnUntraced(function*(
      channel: LiveChannel,
      waiting: Waiting,
      press: Extract<Waiting["event"], { readonly type: "press" }>,
      person: Person
    ) {
      const found = yield* store.asking(waiting.channel, press.prompt)
      if (Option.isNone(found) || found.value.run === null || found.value.thread !== press.thread) {
        return say(Sentences.unknownQuestion)
      }
      const asking = found.value
      const read = (question: Question) => Prompts.ofPress(question, press)
      const decided = yield* decide({ channel, waiting, person, asking, read }, found.value.run)
      return Option.getOrElse(decided, (): Handled => ({}))
    }),
    /** None: the text is no answer to what runs of the conversation wait for. */
    onText: Effect.fnUntraced(function*(channel: LiveChannel, waiting: Waiting, text: string, person: Person) {
      const { event: { sender, thread } } = waiting
      const open = yield* store.askingIn({ channel: channel.id, thread })
      const asking = open.find(({ pending: { awaits } }) => awaits?.sender === sender.id) ??
        open.find(({ user_id }) => user_id === person.user_id) ??
        (person.approver === undefined ? undefined : open[0])
      if (asking === undefined || asking.run === null) return Option.none<Handled>()
      // an attempt at this text before has begun a run with it, when nothing was asked
      if (yield* hasBegun(waiting, person)) return Option.none<Handled>()
      const { awaits } = asking.pending
      const isOwn = asking.user_id === person.user_id
      const read = (question: Question) => {
        if (awaits?.sender === sender.id) return Prompts.ofWords(question, awaits, text)
        // what another person writes is a message, unless it is a word that decides
        if (!isOwn && !Prompts.takesWord(question)) return undefined
        const needsWord = question.needsApproval && person.approver === undefined
        return Prompts.ofText(question, text, channel.adapter.limits.hasButtons || !isOwn || needsWord)
      }
      return yield* decide({ channel, waiting, person, asking, read }, asking.run)
    })
  }
}
