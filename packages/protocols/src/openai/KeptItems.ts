// The items of a run whose events are removed after a time. Its messages stay: ids that clients have lead to them.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import { Array as Arr, Order } from "effect"
import type { Question } from "../pause/Question.ts"
import * as Questions from "../pause/Questions.ts"
import { textOf } from "../run/RunPiece.ts"
import type * as OpaqueId from "./OpaqueId.ts"
import * as ResponseObject from "./ResponseObject.ts"

/** The id of an item, with its place. */
export interface Named extends OpaqueId.NamedItem {
  readonly id: string
}

const inOrder = Order.combine(
  Order.mapInput(Order.Number, ({ event }: Named) => event),
  Order.mapInput(Order.Number, ({ number = 0 }: Named) => number)
)

const textsOf = (run: AnyRun.Output): ReadonlyArray<string> =>
  AnyRun.isWorkflow(run)
    ? [textOf(run.content)]
    : AnyRun.messagesOf(run).flatMap(({ content = "", from_history, role }) =>
      role === "assistant" && !from_history && content !== "" ? [content] : []
    )

/** The last of them belong to the last ids: what a client leaves out is what came first. */
const pairs = <A>(named: ReadonlyArray<Named>, all: ReadonlyArray<A>): ReadonlyArray<readonly [string, A]> =>
  named.flatMap(({ id }, index) => {
    const value = all[all.length - named.length + index]
    return value === undefined ? [] : [[id, value] as const]
  })

/** What nothing is left of is passed over, as reasoning is. `answered`: the calls with results in the request. */
export const of = (
  run: AnyRun.Output,
  named: ReadonlyArray<Named>,
  answered: ReadonlySet<string>
): ReadonlyArray<ResponseObject.Item> => {
  const sorted = Arr.sort(named, inOrder)
  const ofType = (type: OpaqueId.NamedItem["type"]) => sorted.filter((each) => each.type === type)
  const calls: ReadonlyArray<Question> = AnyRun.isWorkflow(run) ? [] : Questions.ofAll(run)
  const items: ReadonlyArray<ResponseObject.Item> = [
    ...pairs(ofType("msg"), textsOf(run)).map(([id, text]) =>
      ResponseObject.messageItem(id, "completed", [ResponseObject.textPart(text)])
    ),
    ...pairs(ofType("fc"), calls.filter(({ toolCallId }) => answered.has(toolCallId))).map(([id, call]) =>
      ResponseObject.callItem(run, id, "completed", call, JSON.stringify(Questions.argsOf(call)))
    )
  ]
  const left = sorted.filter(({ id }) => !items.some((item) => item.id === id))
  return [...items, ...left.map(({ id }) => ({ id, type: "reasoning" as const, summary: [] }))]
}
