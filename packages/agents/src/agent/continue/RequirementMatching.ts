// Finds the stored requirement of a run for each requirement that a client sent.
import * as Requirement from "@svc-runtime/domain/Requirement"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import { Effect } from "effect"
import type { SentRequirement } from "./SentRequirement.ts"

const mismatch = (message: string) => Effect.fail(new ContinueRejected({ reason: "mismatch", message }))

type Stored = Requirement.Requirement

const named = ({ id, tool_execution }: SentRequirement) => id ?? tool_execution?.tool_call_id ?? "without an id"

const matching = ({ id, tool_execution }: SentRequirement, stored: ReadonlyArray<Stored>): ReadonlyArray<Stored> =>
  typeof id === "string"
    ? stored.filter((each) => each.id === id)
    : stored.filter((each) =>
      Requirement.isOpen(each) && each.tool_execution.tool_call_id === tool_execution?.tool_call_id
    )

/** Whether it shows another call than its id names. */
export const isOfOther = ({ tool_execution }: SentRequirement, stored: Stored): boolean =>
  typeof tool_execution?.tool_call_id === "string" &&
  tool_execution.tool_call_id !== stored.tool_execution.tool_call_id

export const ofOther = (id: string) =>
  Effect.fail(
    new ContinueRejected({
      reason: "conflict",
      message: `Requirement '${id}' is not about the call that is sent with it: read the run, and send it as it is`
    })
  )

/** The sent requirements by the ids of the stored ones. Each must be about one of them. */
export const matched = Effect.fnUntraced(function*(
  stored: ReadonlyArray<Stored>,
  sent: ReadonlyArray<SentRequirement>
) {
  const byId = new Map<string, SentRequirement>()
  for (const each of sent) {
    const [found, another] = matching(each, stored)
    if (found === undefined) return yield* mismatch(`The run does not wait for requirement '${named(each)}'`)
    if (another !== undefined) return yield* mismatch(`Several requirements are meant by '${named(each)}': name its id`)
    if (isOfOther(each, found)) return yield* ofOther(found.id)
    if (byId.has(found.id)) return yield* mismatch(`Requirement '${named(each)}' is named twice`)
    if (typeof each.member_run_id === "string" && each.member_run_id !== found.member_run_id) {
      return yield* mismatch(`Requirement '${named(each)}' is not one of run '${each.member_run_id}'`)
    }
    byId.set(found.id, each)
  }
  return byId
})
