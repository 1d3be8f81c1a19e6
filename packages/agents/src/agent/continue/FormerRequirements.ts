// The requirements of a run on which a person has decided, and which the run no longer has.
import type * as Json from "@svc-runtime/domain/Json"
import * as Requirement from "@svc-runtime/domain/Requirement"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import * as Form from "@svc-runtime/engine/tool/Form"
import * as TextArguments from "@svc-runtime/engine/tool/TextArguments"
import { Effect, Equal, Predicate } from "effect"
import * as AgentJournal from "../execute/AgentJournal.ts"
import { sentCall, type SentRequirement } from "./SentRequirement.ts"

export const conflict = (id: string) =>
  new ContinueRejected({
    reason: "conflict",
    message: `The run does not wait for requirement '${id}' any more: read the run, and decide on the open one`
  })

/** The decided requirements that can be meant: with the id, or of the call if no question of it is open. */
const decidedBy = (
  stored: ReadonlyArray<Requirement.Requirement>,
  { id, tool_execution }: SentRequirement
): ReadonlyArray<Requirement.Requirement> => {
  const meant = stored.filter((each) =>
    typeof id === "string" ? each.id === id : each.tool_execution.tool_call_id === tool_execution?.tool_call_id
  )
  return meant.some(Requirement.isOpen) ? [] : meant
}

const isAbsent = (value: Json.Value | undefined) => Predicate.isNullish(value) || value === ""

/** Whether another decision is sent. What a run shows of a decided call is sent back, too. */
const isOther = (stored: Requirement.Requirement, sent: SentRequirement): boolean => {
  const { confirmation, external_execution_result, member_run_id, tool_execution: tool, user_input_schema } = stored
  const { confirmed, result, tool_args, tool_name, user_input_schema: given } = sentCall("", sent)
  const fields = [user_input_schema, tool.user_input_schema].flatMap((each) => Form.fieldsIn(each) ?? [])
  const isKnown = (name: string, value: Json.Value) =>
    fields.some((field) => field.name === name && Equal.equals(Form.read(field, value), field.value))
  // a call that is sent back has the arguments of the model, and one of a run inside is not shown with edited ones
  const areEdited = Predicate.isNullish(tool_name) && !Predicate.isNullish(tool_args) && member_run_id === undefined &&
    !Equal.equals(TextArguments.valueOf(tool_args) ?? tool_args, tool.tool_args)
  return confirmed === (confirmation === false) || areEdited ||
    (!isAbsent(result) && result !== (external_execution_result ?? tool.result)) ||
    (given ?? []).some(({ name, value = null }) => !isAbsent(value) && !isKnown(name, value))
}

/**
 * What is sent about open requirements. The same decision on a decided one counts again, but not alone, and clients
 * send decided ones back. Another decision is refused.
 */
export const withoutDecided = Effect.fnUntraced(function*<S extends SentRequirement>(
  stored: ReadonlyArray<Requirement.Requirement>,
  sent: ReadonlyArray<S>
) {
  const late = sent.flatMap((each) => {
    const [first, ...others] = decidedBy(stored, each)
    const isRefused = [first, ...others].every((one) => one !== undefined && isOther(one, each))
    return first === undefined ? [] : [{ each, id: first.id, isRefused }]
  })
  const refused = late.find(({ isRefused }) => isRefused) ?? (late.length === sent.length ? late[0] : undefined)
  if (refused !== undefined) return yield* conflict(refused.id)
  return sent.filter((each) => !late.some((one) => one.each === each))
})

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
