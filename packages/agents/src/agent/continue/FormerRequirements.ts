// The requirements of a run on which a person has decided, and which the run no longer has.
import type * as Json from "@svc-runtime/domain/Json"
import * as Requirement from "@svc-runtime/domain/Requirement"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import { Effect } from "effect"
import * as AgentJournal from "../execute/AgentJournal.ts"
import type { SentRequirement } from "./SentRequirement.ts"

export const conflict = (id: string) =>
  new ContinueRejected({
    reason: "conflict",
    message: `The run does not wait for requirement '${id}' any more: read the run, and decide on the open one`
  })

/** Clients may send decided requirements back, but not alone. */
export const checkLate = (
  stored: ReadonlyArray<Requirement.Requirement>,
  sent: ReadonlyArray<Pick<SentRequirement, "id">>
) => {
  const decided = sent.flatMap(({ id }) => stored.find((each) => each.id === id && !Requirement.isOpen(each)) ?? [])
  const [first] = decided
  return first !== undefined && decided.length === sent.length ? Effect.fail(conflict(first.id)) : Effect.void
}

/** A decision about one of them was sent twice, or is late. */
export const check = Effect.fnUntraced(
  function*(entries: ReadonlyArray<Json.Object>, sent: ReadonlyArray<Pick<SentRequirement, "id">>) {
    const ids = new Set(sent.map(({ id }) => id))
    for (const entry of yield* Effect.orDie(AgentJournal.decode(entries))) {
      if (entry.kind !== "resolved") continue
      const former = entry.requirements.find(({ id }) => ids.has(id))
      if (former !== undefined) return yield* conflict(former.id)
    }
  }
)
