// What is measured. The floor and the service get the same requests.
import { formOf, type Scenario, type Send } from "./Load.ts"

const tag = `${process.pid}-${Date.now()}`
let next = 0

const post = (send: Send, session: string, stream: boolean) =>
  send("POST", "/agents/assistant/runs", formOf({ message: "hi", stream: String(stream), session_id: session }))

const fillSession = async (send: Send, session: string, runs: number) => {
  for (let run = 0; run < runs; run++) await post(send, session, false)
}

export const readSession = (connections: number, seconds: number): Scenario => ({
  connections,
  seconds,
  prepare: (send) => fillSession(send, `fixed-${tag}`, 5),
  one: (send) => send("GET", `/sessions/fixed-${tag}`)
})

/** A session of its own for every run. */
export const runs = (connections: number, seconds: number): Scenario => ({
  connections,
  seconds,
  one: (send) => post(send, `own-${tag}-${next++}`, false)
})

/** One session for all runs, which has some already. */
export const runsInOneSession = (connections: number, seconds: number, earlier: number): Scenario => {
  const session = `one-${tag}-${next++}`
  return {
    connections,
    seconds,
    prepare: (send) => fillSession(send, session, earlier),
    one: (send) => post(send, session, false)
  }
}

export const streams = (connections: number, seconds: number): Scenario => ({
  connections,
  seconds,
  one: (send) => post(send, `stream-${tag}-${next++}`, true),
  isGood: (answer) => answer.text.includes("event: RunCompleted")
})
