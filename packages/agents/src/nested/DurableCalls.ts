// The durable calls of the tools of a run: their journal is inside of the journal of the run, and the runs that they
// start are runs inside of it, as those of members.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import { CallFailed, type RunAnswer } from "@svc-runtime/engine/durable/Durable"
import { type Host, Waits } from "@svc-runtime/engine/durable/DurableCode"
import * as DurableJournal from "@svc-runtime/engine/durable/DurableJournal"
import * as Cancellation from "@svc-runtime/engine/run/engine/Cancellation"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import type { Start } from "@svc-runtime/engine/run/Runnable"
import type { Reply } from "@svc-runtime/engine/tool/Asking"
import * as Form from "@svc-runtime/engine/tool/Form"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Clock, type Duration, Effect, Option } from "effect"
import * as ModelOptions from "../agent/define/ModelOptions.ts"
import type { AgentCommand } from "../agent/execute/AgentCommand.ts"
import * as CallKey from "../agent/execute/calls/CallKey.ts"
import * as SentValue from "../agent/execute/calls/SentValue.ts"
import type { Wait } from "../agent/execute/calls/SuspendedCall.ts"
import * as Text from "../agent/execute/Text.ts"
import * as Delegation from "../team/Delegation.ts"
import * as InnerTimeLimit from "../team/InnerTimeLimit.ts"
import type { TeamCommand } from "../team/TeamCommand.ts"
import * as CutOffRun from "./CutOffRun.ts"
import * as Generated from "./Generated.ts"
import { type InnerComponent, isComponent, notRunnable } from "./InnerCommand.ts"

/** A call of a tool. */
export interface ToolCall {
  /** Of the call in its run. */
  readonly key: string
  readonly effectId: string
  readonly tool: string
  readonly context: Pick<RunContext, "sessionState">
  /** What a person gave. */
  readonly reply: Reply | undefined
}

export interface DurableCalls {
  readonly of: (call: ToolCall) => Host<Wait>
  /** Whether a call that was cut off can be repeated, because its durable calls are known. */
  readonly isUnderway: (key: string) => boolean
}

interface Options {
  readonly command: AgentCommand | TeamCommand
  /** The journal has the entries of the runs inside. */
  readonly start: Pick<Start, "cancellation" | "journal">
  readonly ask: Delegation.AskMember
}

const failed = (kind: string, message: string) => new CallFailed({ kind, message })

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

/** Of what a call keeps while it waits. */
const stateField = "durable_call"

export const make = ({ ask, command, start: { cancellation: ofRun, journal } }: Options): DurableCalls => {
  /** Kept in memory too: a call can be tried again in the process in which it failed. */
  const written = new Map<string, Array<Json.Object>>()

  const journalOf = (key: string): DurableJournal.DurableJournal => {
    const inner = RunJournal.innerOf(journal, `durable/${key}`)
    const mine = written.get(key) ?? []
    written.set(key, mine)
    return {
      entries: () => [...inner.entries, ...mine],
      record: (entry) => Effect.tap(inner.record(entry), () => Effect.sync(() => mine.push(entry)))
    }
  }

  const modelOf = () =>
    "team" in command
      ? command.team.leader.model
      : ModelOptions.withChosen(command.agent, command).model

  return {
    isUnderway: (key) => DurableJournal.isUnderway(journalOf(key).entries()),
    of: ({ context: { sessionState }, effectId, key: callKey, reply, tool }) => {
      const owner = `Tool '${tool}'`
      const runKey = (key: string) => CallKey.part(callKey, key)
      const stateOf = (key: string): Json.Object => ({ [stateField]: key })
      let cancellation = Cancellation.inside(ofRun)
      let hasReplied = false
      /** What a person gave for the durable call. It counts once: if it does not fit, the person is asked again. */
      const replyTo = (key: string): Json.Object | undefined => {
        const state = reply?.state ?? null
        if (hasReplied || !Json.isObject(state) || state[stateField] !== key) return undefined
        hasReplied = true
        return reply?.values
      }
      return {
        owner,
        effectId,
        journal: journalOf(callKey),
        underLease: journal.underLease,
        begin: () => {
          cancellation = Cancellation.inside(ofRun)
        },
        cancel: (reason) => {
          cancellation.reason = reason
        },
        run: (key, component, task, { streamEvents: isShown = false, timeout: given }) =>
          Effect.suspend((): ReturnType<Host<Wait>["run"]> => {
            if (!isComponent(component)) return Effect.fail(notRunnable(owner))
            const timeout = given === undefined ? undefined : Validate.duration(owner, "timeout of run()", given)
            const id = CutOffRun.idOf(component)
            const asking = {
              key: runKey(key),
              id,
              member: component,
              task,
              sessionState,
              timeout,
              isShown,
              cancellation
            }
            return Effect.flatMap(ask(asking), (output) => answerOf(component, output, timeout))
          }),
        generate: (key, question) =>
          Effect.gen(function*() {
            const { agent, earlier_messages, input } = yield* Generated.of(question, modelOf())
            const output = yield* ask({
              key: runKey(key),
              id: CutOffRun.idOf(agent),
              member: agent,
              task: input,
              sessionState,
              isShown: false,
              cancellation,
              given: { earlier_messages, input: { input_content: input } }
            })
            return (yield* answerOf(agent, output, undefined)).content
          }),
        ask: (key, _, question) => {
          const state = stateOf(key)
          const values = replyTo(key)
          return values === undefined
            ? Effect.fail(new Waits<Wait>({ wait: { _tag: "Asks", state, question } }))
            : Effect.succeed(Form.valuesOf(question.schema, values))
        },
        wait: (key, _, awaited) =>
          Effect.gen(function*() {
            const { schema, until } = awaited
            const state = stateOf(key)
            const sent = replyTo(key)?.[SentValue.field]
            if (sent !== undefined) return Option.some(SentValue.of(schema, sent))
            if (until !== undefined && until <= (yield* Clock.currentTimeMillis)) return Option.none()
            return yield* Effect.fail(new Waits<Wait>({ wait: { _tag: "Awaits", state, awaited } }))
          })
      }
    }
  }
}
