// The tasks of the agents of the chaos tests, in words that name the run, and the calls that they make for each.
import type { ToolName } from "./SideEffectLog.ts"

export type Task = "Buy" | "Book" | "Fetch" | "Pay" | "Settle" | "Order" | "Send"

/** Another one who is asked for something. */
export interface Delegation {
  readonly member: string
  readonly task: Task
}

/** The calls of each step. */
export const scripts: Readonly<Record<Task, ReadonlyArray<ReadonlyArray<ToolName | Delegation>>>> = {
  Buy: [["look", "reserve", "pay"], ["pay"], ["reserve", "look"]],
  Book: [["reserve"]],
  Fetch: [["look", "reserve", "pay"]],
  Pay: [["pay"]],
  Settle: [[{ member: "buyer", task: "Pay" }, "reserve"]],
  Order: [[{ member: "buyer", task: "Fetch" }, "pay"], [{ member: "office", task: "Settle" }]],
  Send: [[{ member: "buyer", task: "Book" }]]
}

/** Everything that is done to the world for a task, by whomever. */
export const effectsOf = (task: Task): ReadonlyArray<ToolName> =>
  scripts[task].flat().flatMap((call) => typeof call === "string" ? [call] : effectsOf(call.task))

/** For one request of a model that asks for calls. */
export const usage = { input: 10, output: 5 }

/** What all of them cost. The last one, which answers, costs nothing. */
export const tokensOf = (task: Task): number =>
  scripts[task].length * (usage.input + usage.output) +
  scripts[task].flat().reduce((sum, call) => typeof call === "string" ? sum : sum + tokensOf(call.task), 0)

export const tell = (task: string, run: string): string => `${task} tea for ${run}`

/** What was asked, and for which run. */
export const taskIn = (text: string): { readonly task: Task; readonly run: string } => {
  const [, task = "Buy", run = ""] = /\b(Buy|Book|Fetch|Pay|Settle|Order|Send) tea for ([\w.-]+)/.exec(text) ?? []
  return { task: task as Task, run }
}
