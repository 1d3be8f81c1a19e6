// What is run while services die: where it is asked, with which words, and all that it does to the world when nothing
// goes wrong.
import type * as SideEffectLog from "./SideEffectLog.ts"
import * as Tasks from "./Tasks.ts"

export interface Subject {
  readonly path: string
  /** What it is asked to do. */
  readonly task: string
  readonly effects: ReadonlyArray<SideEffectLog.ToolName>
  readonly tokens: number
}

const subjectOf = (path: string, task: Tasks.Task): Subject => ({
  path,
  task,
  effects: Tasks.effectsOf(task),
  tokens: Tasks.tokensOf(task)
})

export const agent = subjectOf("/agents/buyer", "Buy")

/** Its effects have to be approved. */
export const approvedAgent = subjectOf("/agents/clerk", "Book")

/** It has hooks at each stage. */
export const guardedAgent = subjectOf("/agents/guarded", "Fetch")

/** Its runs do nothing until their time limit. */
export const limited: Subject = { path: "/agents/limited", task: "Pay", effects: [], tokens: 0 }

/** The run of its tool does nothing until the time limit of the call. */
export const patient: Subject = { path: "/agents/patient", task: "Pay", effects: [], tokens: Tasks.tokensOf("Pay") }

/** Two members and a tool of its own, of which one member is a team as well. */
export const team = subjectOf("/teams/desk", "Order")

export const workflow: Subject = {
  path: "/workflows/purchase",
  task: "Purchase",
  effects: [
    ...["reserve", "pay", "pay"] as const,
    ...Tasks.effectsOf("Pay"),
    ...["pay", "pay"] as const,
    ...Tasks.effectsOf("Settle")
  ],
  tokens: Tasks.tokensOf("Pay") + Tasks.tokensOf("Settle")
}
