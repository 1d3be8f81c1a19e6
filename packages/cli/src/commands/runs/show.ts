// `svc runs show RUN`: one run with its answer, its tool calls and what it waits for.
import * as Json from "@svc-runtime/domain/Json"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { present } from "../../CommandResult.ts"
import * as CallDecisions from "../../runs/CallDecisions.ts"
import type { Run } from "../../runs/FollowedRun.ts"
import * as RunText from "../../runs/RunText.ts"
import * as Waiting from "../../runs/Waiting.ts"
import * as ComponentName from "../../service/ComponentName.ts"
import * as RunAddress from "../../service/RunAddress.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { Output } from "../../terminal/Output.ts"
import { onOneLine } from "../../terminal/Printable.ts"

const flags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  ...AdminTarget.flags
}

interface Shown extends Run {
  readonly tools?:
    | ReadonlyArray<{
      readonly tool_name: string
      readonly tool_args: Json.Value | null
      readonly result: string | null
    }>
    | undefined
}

const show = Effect.fnUntraced(function*({ component, run_id, session_id }: RunAddress.RunAddress, run: Shown) {
  const output = yield* Output
  const { content, metrics, status, tools = [] } = run
  const lines = [
    `Run:        ${run_id}`,
    `Component:  ${ComponentName.nameOf(component)}`,
    `Session:    ${session_id}`,
    `Status:     ${status}`,
    ...(metrics?.duration === undefined ? [] : [`Duration:   ${metrics.duration.toFixed(2)} s`]),
    ...(metrics?.total_tokens === undefined ? [] : [`Tokens:     ${metrics.total_tokens}`])
  ]
  for (const line of lines) yield* output.line(onOneLine(line))
  if (tools.length > 0) {
    yield* output.line()
    yield* output.table(
      [{ title: "Tool call", wraps: true }, { title: "Result", wraps: true }],
      tools.map((tool) => [CallDecisions.titleOf(tool), tool.result ?? "-"])
    )
  }
  if (content !== undefined && content !== null) {
    yield* output.line()
    yield* output.line(RunText.contentOf(content))
  }
  const waiting = Waiting.of(run)
  if (waiting.length > 0) yield* output.line()
  for (const { text } of waiting) yield* output.warn(`It waits for: ${text}`)
  if (status === "PAUSED") yield* output.note(`Continue it with svc runs continue ${run_id}.`)
})

export const showRun = Command.make("show", flags, ({ json, run: id, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const service = yield* ServiceClient.open(given)
      const found = yield* RunAddress.find(service, id)
      const run = yield* Effect.mapError(
        ComponentName.runsOf(service, found.component).get(found),
        ServiceClient.failed("Reading the run")
      )
      return {
        document: Json.of(run),
        human: Effect.provideService(show(found, run), Output, output)
      }
    })
  )).pipe(
    Command.withDescription("Show a run: its state, its tool calls, its answer, and what it waits for."),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Show one run"),
    Command.withExamples([{ command: "svc runs show 0d0f7c4e-…" }])
  )
