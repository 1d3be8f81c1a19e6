// The durable calls of the tools of a run: their journal is inside of the journal of the run, and the runs that they
// start are runs inside of it, as those of members.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import type { CallFailed, RunAnswer } from "@svc-runtime/engine/durable/Durable"
import { declined, failed, type Host, notRunnable, remaining, Waits } from "@svc-runtime/engine/durable/DurableHost"
import * as DurableJournal from "@svc-runtime/engine/durable/DurableJournal"
import * as Cancellation from "@svc-runtime/engine/run/engine/Cancellation"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import type { Start } from "@svc-runtime/engine/run/Runnable"
import type { Reply } from "@svc-runtime/engine/tool/Asking"
import * as Form from "@svc-runtime/engine/tool/Form"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import { type Effects, mayRepeat } from "@svc-runtime/engine/userCode/Effects"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Clock, type Duration, Effect, Option } from "effect"
import * as ModelOptions from "../agent/define/ModelOptions.ts"
import type { AgentCommand } from "../agent/execute/AgentCommand.ts"
import * as CallKey from "../agent/execute/calls/CallKey.ts"
import * as SentValue from "../agent/execute/calls/SentValue.ts"
import { keyIn, stateOf, type Wait } from "../agent/execute/calls/SuspendedCall.ts"
import * as Text from "../agent/execute/Text.ts"
import * as Delegation from "../team/Delegation.ts"
import * as InnerTimeLimit from "../team/InnerTimeLimit.ts"
import type { MemberRuns } from "../team/MemberRuns.ts"
import type { TeamCommand } from "../team/TeamCommand.ts"
import * as CallRun from "./CallRun.ts"
import * as Generated from "./Generated.ts"
import { type InnerComponent, isComponent, notInput } from "./InnerCommand.ts"

/** A call of a tool. */
export interface ToolCall {
  /** Of the call in its run. */
  readonly key: string
  readonly effectId: string
  readonly tool: string
  /** A `once` tool is not called after a loss before a person has decided that. */
  readonly effects: Effects
  readonly context: Pick<RunContext, "sessionState">
  /** What a person gave. */
  readonly reply: Reply | undefined
}

export interface DurableCalls {
  readonly of: (call: ToolCall) => Host<Wait>
  /** Whether a call that was cut off can be repeated, because its durable calls are known. */
  readonly isUnderway: (key: string) => boolean
  /** As `MemberRuns.lost`. */
  readonly lost: MemberRuns["lost"]
}

interface Options extends Pick<MemberRuns, "ask" | "lost" | "restore"> {
  readonly command: AgentCommand | TeamCommand
  /** The journal has the entries of the runs inside. */
  readonly start: Pick<Start, "cancellation" | "journal">
}

/** The result of a run. A run that waits makes its call wait. */
const answerOf = (
  component: InnerComponent,
  output: AnyRun.Output,
  timeout: Duration.Duration | undefined
): Effect.Effect<RunAnswer, CallFailed | Waits<Wait>> => {
  if (output.status === "COMPLETED") return Effect.succeed({ runId: output.run_id, content: output.content ?? null })
  const { requirements } = Delegation.childRun(component, output)
  if (requirements.length > 0) return Effect.fail(new Waits<Wait>({ wait: { _tag: "Inside", requirements } }))
  const reason = output.status === "CANCELLED" && timeout !== undefined
    ? InnerTimeLimit.reasonOf(timeout)
    : Text.ofJson(output.content ?? output.status)
  return Effect.fail(failed("RunFailed", `The run of '${component.id}' failed: ${reason}`))
}

export const make = (
  { ask, command, lost, restore, start: { cancellation: ofRun, journal } }: Options
): DurableCalls => {
  /** Kept in memory too: a call can be tried again in the process in which it failed. */
  const written = new Map<string, Array<Json.Object>>()
  /** A run can have many entries and many calls of tools. */
  let before: ReturnType<typeof RunJournal.innerByKey> | undefined

  const journalOf = (call: string): DurableJournal.DurableJournal => {
    const key = `durable/${call}`
    const mine = written.get(key) ?? []
    written.set(key, mine)
    return {
      entries: () => {
        before ??= RunJournal.innerByKey(journal.entries)
        return [...before.get(key) ?? [], ...mine]
      },
      record: (entry) =>
        Effect.tap(journal.record(RunJournal.innerEntry(key, entry)), () => Effect.sync(() => mine.push(entry)))
    }
  }

  const modelOf = () =>
    "team" in command
      ? command.team.leader.model
      : ModelOptions.withChosen(command.agent, command).model

  return {
    lost,
    isUnderway: (key) => DurableJournal.isUnderway(journalOf(key).entries()),
    of: ({ context: { sessionState }, effectId, effects, key: callKey, reply, tool }) => {
      const owner = `Tool '${tool}'`
      const runKey = (key: string) => CallKey.part(callKey, key)
      const cancellations = new Map<string, Cancellation.Cancellation>()
      let cancellation = Cancellation.inside(ofRun)
      /** Of the run of one call. */
      const cancellationOf = (key: string) => {
        const own = Cancellation.inside(cancellation)
        cancellations.set(key, own)
        return own
      }
      let hasReplied = false
      /** What a person gave for the durable call. It counts once: if it does not fit, the person is asked again. */
      const replyTo = (key: string): Effect.Effect<Json.Object | undefined, CallFailed> =>
        Effect.suspend(() => {
          if (reply === undefined || hasReplied || keyIn(reply.state) !== key) return Effect.undefined
          hasReplied = true
          return reply.declined === undefined ? Effect.succeed(reply.values) : Effect.fail(declined(reply.declined))
        })
      return {
        owner,
        effectId,
        journal: { ...journalOf(callKey), isDecided: !mayRepeat(effects) },
        underLease: journal.underLease,
        begin: () => {
          cancellation = Cancellation.inside(ofRun)
        },
        cancel: (reason, key) => {
          const cancelled = key === undefined ? cancellation : cancellations.get(key)
          if (cancelled !== undefined) cancelled.reason = reason
        },
        restore: (key) => restore(runKey(key), sessionState),
        run: (key, component, task, { streamEvents: isShown = false, timeout: given }, since) =>
          Effect.gen(function*(): Effect.fn.Return<RunAnswer, CallFailed | Waits<Wait>> {
            if (!isComponent(component)) return yield* notRunnable(owner, component)
            const odd = notInput(owner, component, task)
            if (odd !== undefined) return yield* odd
            const timeout = given === undefined ? undefined : Validate.duration(owner, "timeout of run()", given)
            const id = CallRun.idOf(component)
            const asking = {
              key: runKey(key),
              id,
              member: component,
              task,
              sessionState,
              timeout: timeout === undefined ? undefined : yield* remaining(timeout, since),
              isShown,
              cancellation: cancellationOf(key)
            }
            return yield* answerOf(component, yield* ask(asking), timeout)
          }),
        generate: (key, question) =>
          Effect.gen(function*() {
            const { agent, earlier_messages, input } = yield* Generated.of(question, modelOf())
            const output = yield* ask({
              key: runKey(key),
              id: CallRun.idOf(agent),
              member: agent,
              task: input,
              sessionState,
              isShown: false,
              cancellation: cancellationOf(key),
              given: { earlier_messages, input: { input_content: input } }
            })
            return (yield* answerOf(agent, output, undefined)).content
          }),
        ask: (key, _, question) =>
          Effect.flatMap(replyTo(key), (values) =>
            values === undefined
              ? Effect.fail(new Waits<Wait>({ wait: { _tag: "Asks", state: stateOf(key), question } }))
              : Effect.succeed(Form.valuesOf(question.schema, values))),
        wait: (key, _, awaited) =>
          Effect.gen(function*() {
            const { schema, until } = awaited
            const state = stateOf(key)
            const sent = (yield* replyTo(key))?.[SentValue.field]
            if (sent !== undefined) return Option.some(SentValue.of(schema, sent))
            if (until !== undefined && until <= (yield* Clock.currentTimeMillis)) return Option.none()
            return yield* Effect.fail(new Waits<Wait>({ wait: { _tag: "Awaits", state, awaited } }))
          })
      }
    }
  }
}
