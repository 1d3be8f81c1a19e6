// `svc runs continue RUN`: resumes a paused or failed run, with decisions from flags or from a person.
import { approve, reject } from "@svc-runtime/client"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { CommandFailed, UsageError } from "../../CliError.ts"
import { present } from "../../CommandResult.ts"
import * as Flags from "../../Flags.ts"
import * as FollowedRun from "../../runs/FollowedRun.ts"
import * as Waiting from "../../runs/Waiting.ts"
import * as ComponentName from "../../service/ComponentName.ts"
import * as RunAddress from "../../service/RunAddress.ts"
import type { Continuation } from "../../service/Runs.ts"
import * as ServiceClient from "../../service/ServiceClient.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { Prompts } from "../../terminal/Prompts.ts"

const flags = {
  run: Argument.String("run").pipe(Argument.withDescription("Id of the run")),
  input: Argument.String("text").pipe(
    Argument.withDescription("A message for a run that failed or has ended"),
    Argument.variadic()
  ),
  isApproving: Flags.toggle("approve", "Allow everything that the run waits for"),
  isRejecting: Flags.toggle("reject", "Reject everything that the run waits for"),
  note: Flags.text("note", "TEXT", "Reason of a rejection, for the model"),
  ...AdminTarget.flags
}

const noDecisions: Continuation = {}

/** A choice, values or a result are more than an approval. */
const refuseWithoutValues = Effect.fnUntraced(function*(run: FollowedRun.Run) {
  const missing = Waiting.of(run).filter(({ needsValue }) => needsValue)
  if (missing.length === 0) return
  return yield* new CommandFailed({
    message: `--approve cannot give what the run waits for: ${missing.map(({ text }) => text).join("; ")}`,
    hint: `Run svc runs continue ${run.run_id} in a terminal, which asks for it, or reject it with --reject.`
  })
})

/** A script decides by flags. */
const refuseWithoutDecision = Effect.fnUntraced(function*(run: FollowedRun.Run) {
  const waiting = Waiting.of(run)
  if (waiting.length === 0) return
  const flags = waiting.some(({ needsValue }) => needsValue) ? "--reject" : "--approve or --reject"
  return yield* new CommandFailed({
    message: `The run waits for a decision: ${waiting.map(({ text }) => text).join("; ")}`,
    hint: `Decide with ${flags}, or run svc runs continue ${run.run_id} in a terminal.`
  })
})

export const continueRun = Command.make("continue", flags, (
  { input, isApproving, isRejecting, json, note, run: id, ...given }
) =>
  present(
    json,
    Effect.gen(function*() {
      if (isApproving && isRejecting) {
        return yield* new UsageError({ message: "--approve and --reject cannot be given together" })
      }
      const prompts = yield* Prompts
      const service = yield* ServiceClient.open(given)
      const found = yield* RunAddress.find(service, id)
      const runs = ComponentName.runsOf(service, found.component)
      const run = yield* Effect.mapError(runs.get(found), ServiceClient.failed("Reading the run"))
      const paused: FollowedRun.Run = run
      const asks = !isApproving && !isRejecting && (yield* prompts.isInteractive)
      if (isApproving) yield* refuseWithoutValues(paused)
      else if (!isRejecting && !asks) yield* refuseWithoutDecision(paused)
      const message = input.join(" ")
      const decisions = isApproving
        ? approve(run as never)
        : isRejecting
        ? reject(run as never, note)
        : asks && run.status === "PAUSED"
        ? (yield* FollowedRun.decided(paused)) ?? noDecisions
        : noDecisions
      const stream = runs.continueStream(
        found,
        { ...decisions as Continuation, ...(message === "" ? {} : { input: message }) }
      )
      const ended = yield* FollowedRun.follow(runs, { stream, request: "Continuing the run" })
      return yield* FollowedRun.answer(ended)
    })
  )).pipe(
    Command.withDescription(
      "Resume a paused run with decisions, or a failed one after its last finished step. At a terminal the decisions " +
        "are asked for; --approve and --reject decide everything. A run that has ended is continued in a new run."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Continue a paused, failed or ended run"),
    Command.withExamples([
      { command: "svc runs continue 0d0f7c4e-…" },
      { command: "svc runs continue 0d0f7c4e-… --reject --note \"Ask for the invoice first\"" }
    ])
  )
