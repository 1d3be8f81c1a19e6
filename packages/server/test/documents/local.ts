// The blocks of docs/guides/agents.md about runs in a script.

// #region
import { Agent } from "@svc-runtime/server"

const assistant = Agent.make({ id: "assistant", model: "openai:gpt-5-mini", instructions: "Be brief." })

const run = await assistant.run("What is 17 times 23?")
console.log(run.status, run.content)

const stream = assistant.stream({ message: "And halved?", session_id: run.session_id })
for await (const text of stream.textStream) console.log(text)
// #endregion

// #region
import { Local } from "@svc-runtime/server"
import { Effect, Stream } from "effect"

const program = Effect.gen(function*() {
  const { content } = yield* Local.run(assistant, "What is 17 times 23?")
  yield* Stream.runForEach(Local.stream(assistant, "And halved?"), ({ event }) => Effect.log(event))
  return content
})

Effect.runPromise(Effect.provide(program, Local.layer({ dataDir: "data" })))
// #endregion
