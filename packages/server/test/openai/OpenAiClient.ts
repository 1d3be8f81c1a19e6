// The official client of OpenAI against the service on a real port.
import type * as Agent from "@svc-runtime/agents/agent/define/Agent"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import OpenAI from "openai"

export const servingWith = Effect.fnUntraced(function*(options: TestServer.Options) {
  const { url } = yield* TestServer.listen(options)
  return { url, client: new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 }) }
})

export const serving = (...agents: ReadonlyArray<Agent.Agent>) => servingWith({ agents })

export const call = <A>(promise: () => PromiseLike<A>) => Effect.promise(async () => await promise())

export const failure = (promise: () => PromiseLike<unknown>) =>
  Effect.promise(async () => {
    try {
      await promise()
    } catch (error) {
      return error as InstanceType<typeof OpenAI.APIError>
    }
    throw new Error("the call has not failed")
  })

export const collected = async <A>(stream: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const each of stream) all.push(each)
  return all
}

export const hi = [{ role: "user", content: "hi" }] as const
export const parameters = { type: "object", properties: { page: { type: "string" } } }
