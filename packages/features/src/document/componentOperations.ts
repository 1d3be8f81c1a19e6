// The operations of agents, teams and workflows. They are the same for each kind, but for checkpoints and forks, which
// workflows do not have.
import type { Operations } from "@svc-runtime/api/documentation/Operation"
import { ComponentKind, descriptions } from "@svc-runtime/domain/ComponentKind"

/** The run of the agent makes the session that other examples name. */
const started = {
  agent: { message: "What is 17 times 23?", session_id: "first" },
  team: { message: "Compare tea and coffee." },
  workflow: { message: "The history of tea" }
} as const

/** Their ids follow from their names, and no two components have the same one. */
const settings = {
  agent: { name: "Support", instructions: "Be brief." },
  team: { name: "Support desk", instructions: "Be brief.", members: [{ type: "agent", agent_id: "assistant" }] },
  workflow: { name: "Support steps", steps: [{ name: "answer", agent_id: "assistant" }] }
} as const

const decided = {
  agent: { tools: [{ tool_call_id: "call_1", confirmed: true }] },
  team: { requirements: [{ id: "req-1", confirmation: true }] },
  workflow: { step_requirements: [{ step_id: "step-1", confirmed: true }] }
} as const

const article = (kind: ComponentKind): string => kind === "agent" ? "an agent" : `a ${kind}`

const ofKind = (kind: ComponentKind): Operations => ({
  [`get_${kind}s`]: {
    summary: `List the ${kind}s`,
    description: `Returns the ${kind}s that the caller may read, with the factories that make ${kind}s.`
  },
  [`get_${kind}`]: {
    summary: `Get ${article(kind)}`,
    description: `Returns one ${kind} with its settings. For a factory it returns the schema of its input.`
  },
  [`create_${kind}`]: {
    summary: `Create ${article(kind)}`,
    description: `Stores a new ${kind}. It can be run at once, unless its \`stage\` is \`draft\`.`,
    body: settings[kind]
  },
  [`update_${kind}`]: {
    summary: `Change ${article(kind)}`,
    description:
      `Changes the stored ${kind}. If its newest version is a draft, the draft is changed, and otherwise a new ` +
      "version is made. Null removes a field.",
    body: { description: "Answers questions about orders" }
  },
  [`delete_${kind}`]: {
    summary: `Delete ${article(kind)}`,
    description: `Removes the stored ${kind} and all of its versions. Its runs and sessions stay.`
  },
  [`create_${kind}_run`]: {
    summary: `Run ${article(kind)}`,
    description:
      "Starts a run and responds with it: as server-sent events (the default), with `stream=false` as one JSON body, " +
      "or with `background=true` at once with 202 and the id of the run. The fields can be sent as JSON or as a form.",
    body: { ...started[kind], stream: false }
  },
  [`list_${kind}_runs`]: {
    summary: `List the runs of ${article(kind)}`,
    description: `Returns the runs of the ${kind} in one session, oldest first.`
  },
  [`get_${kind}_run`]: {
    summary: "Get a run",
    description: "Returns a run as it is now, whether it is executing, paused or has ended."
  },
  [`get_${kind}_run_events`]: {
    summary: "Watch a run",
    description:
      "Streams the events of a run as server-sent events: those after `last-event-id` first, then new ones until the " +
      "run ends or pauses."
  },
  [`resume_${kind}_run`]: {
    summary: "Watch a run after a cut",
    description: "Streams the events of a run after `last_event_index`, and new ones until the run ends or pauses.",
    body: { session_id: "first", last_event_index: 0 }
  },
  [`continue_${kind}_run`]: {
    summary: "Continue a run",
    description: descriptions[kind].hasConversations
      ? "Continues a paused run with the decisions about its tool calls, or a run that has ended with a new message. " +
        "Without a decision for each call, the response is 422 and the run stays paused."
      : "Continues a paused run with the decisions about its steps. Without a decision for each of them, the " +
        "response is 422 and the run stays paused.",
    body: { ...decided[kind], session_id: "first", stream: false }
  },
  [`cancel_${kind}_run`]: {
    summary: "Cancel a run",
    description:
      "Asks the run to end. A run that is executing ends with the state `CANCELLED` at the next step; one that is " +
      "queued or paused ends at once."
  }
})

const ofConversations = (kind: ComponentKind): Operations => ({
  [`list_${kind}_run_checkpoints`]: {
    summary: "List the checkpoints of a run",
    description: "Returns the places from which the run can be forked or continued, oldest first."
  },
  [`get_${kind}_run_checkpoint`]: {
    summary: "Get a run as it was at a checkpoint",
    description: "Returns the run with the messages that it had at the place."
  },
  [`fork_${kind}_session`]: {
    summary: "Copy a session",
    description:
      "Makes a new session with copies of the runs, which continues on its own. The first one stays as it is."
  }
})

export const componentOperations: Operations = Object.assign(
  {},
  ...ComponentKind.literals.flatMap((kind) => [
    ofKind(kind),
    ...(descriptions[kind].hasConversations ? [ofConversations(kind)] : [])
  ])
)
