// What is measured. The floor and the service get the same requests.
import { formOf, type Scenario, type Send } from "./Load.ts"

const tag = `${process.pid}-${Date.now()}`
let next = 0

const post = (send: Send, session: string, stream: boolean, agent = "assistant") =>
  send("POST", `/agents/${agent}/runs`, formOf({ message: "hi", stream: String(stream), session_id: session }))

const fillSession = async (send: Send, session: string, runs: number, agent?: string) => {
  for (let run = 0; run < runs; run++) await post(send, session, false, agent)
}

/** What a request costs that does nothing: the measure of what others cost. */
export const health = (connections: number, seconds: number): Scenario => ({
  connections,
  seconds,
  one: (send) => send("GET", "/health")
})

export const readSession = (connections: number, seconds: number): Scenario => ({
  connections,
  seconds,
  prepare: (send) => fillSession(send, `fixed-${tag}`, 5),
  one: (send) => send("GET", `/sessions/fixed-${tag}`)
})

/** The first page of 200 sessions. */
export const listSessions = (connections: number, seconds: number): Scenario => ({
  connections,
  seconds,
  prepare: async (send) => {
    for (let n = 0; n < 200; n++) await post(send, `listed-${tag}-${n}`, false)
  },
  one: (send) => send("GET", "/sessions?type=agent&limit=20")
})

/** A session of its own for every run. */
export const runs = (connections: number, seconds: number, agent?: string): Scenario => ({
  connections,
  seconds,
  one: (send) => post(send, `own-${tag}-${next++}`, false, agent)
})

/** One session for all runs, which has some already. Those of `assistant` take turns, those of `plain` do not. */
export const runsInOneSession = (
  { agent, connections, earlier, seconds }: {
    readonly connections: number
    readonly seconds: number
    readonly earlier: number
    readonly agent: "assistant" | "plain"
  }
): Scenario => {
  const session = `one-${tag}-${next++}`
  return {
    connections,
    seconds,
    prepare: (send) => fillSession(send, session, earlier, agent),
    one: (send) => post(send, session, false, agent)
  }
}

export const streams = (connections: number, seconds: number): Scenario => ({
  connections,
  seconds,
  one: (send) => post(send, `stream-${tag}-${next++}`, true),
  isGood: (answer) => answer.text.includes("event: RunCompleted")
})
