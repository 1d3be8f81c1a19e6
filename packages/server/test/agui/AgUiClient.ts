// Both official clients of AG-UI against the service on a real port. They check the order of events themselves: every
// error and every warning fails the test.
import * as v1 from "@ag-ui/client"
import * as v0 from "@ag-ui/client-0"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"

export type Version = "1.0.0" | "0.0.59"
export const versions: ReadonlyArray<Version> = ["1.0.0", "0.0.59"]

export interface Event {
  readonly type: string
  readonly [key: string]: unknown
}

export interface Outcome {
  readonly events: ReadonlyArray<Event>
  /** What the client rejects the run with. A RUN_ERROR is no error of the stream. */
  readonly error: string | undefined
  readonly warnings: ReadonlyArray<string>
}

export interface Message {
  readonly id: string
  readonly role: string
  readonly content?: unknown
  readonly [key: string]: unknown
}

interface Agent {
  messages: Array<Message>
  /** While there are any, the client sends no request that does not answer them. */
  pendingInterrupts: ReadonlyArray<unknown>
  state: unknown
  runAgent: (parameters: object, subscriber: object) => Promise<unknown>
}

export const user = (content: string, id = `u-${content}`): Message => ({ id, role: "user", content })

export const make = (version: Version, url: string, options: object = {}) => {
  const { HttpAgent } = version === "1.0.0" ? v1 : v0
  const agent = new HttpAgent({ url, threadId: "thread", ...options } as never) as unknown as Agent
  const run = (parameters: object = {}) =>
    Effect.promise(async (): Promise<Outcome> => {
      const events: Array<Event> = []
      const warnings: Array<string> = []
      const warn = vi.spyOn(console, "warn").mockImplementation((...line) => void warnings.push(line.join(" ")))
      const failures = vi.spyOn(console, "error").mockImplementation(() => {})
      let error: string | undefined
      try {
        await agent.runAgent(parameters, {
          onEvent: ({ event }: { readonly event: Event }) => void events.push(structuredClone(event))
        })
      } catch (cause) {
        error = String(cause)
      }
      warn.mockRestore()
      failures.mockRestore()
      return { events, error, warnings }
    })
  return {
    agent,
    run,
    say: (text: string, parameters: object = {}) => {
      agent.messages = [...agent.messages, user(text)]
      return run(parameters)
    }
  }
}

export const accepted = (outcome: Outcome): Outcome => {
  assert.isUndefined(outcome.error)
  assert.deepStrictEqual(outcome.warnings, [])
  return outcome
}

/** Without the events of the service itself. */
export const typesOf = ({ events }: Outcome): ReadonlyArray<string> =>
  events.map(({ type }) => type).filter((type) => type !== "RAW")

export const eventsOf = ({ events }: Outcome, type: string): ReadonlyArray<Event> =>
  events.filter((event) => event.type === type)

export const textOf = (outcome: Outcome): string =>
  eventsOf(outcome, "TEXT_MESSAGE_CONTENT").map(({ delta }) => delta).join("")
