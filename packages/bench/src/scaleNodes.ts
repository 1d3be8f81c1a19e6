// Many nodes in one process, each a whole service with its own port and its own connections. Its arguments are the
// number of the first node and how many there are. When all are ready it writes their ports.
import { Agent, Application } from "@svc-runtime/server"
import { ConfigProvider, Effect, Layer } from "effect"
import { freePort } from "./Process.ts"

const [first = 0, count = 1] = process.argv.slice(2).map(Number)

const node = (number: number, port: number) => {
  const env = { ...process.env, PORT: String(port), NODE_NAME: `node-${number}` }
  return Application.make({ agents: [Agent.make({ id: "assistant", addHistoryToContext: true })] }).pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
}

const program = Effect.gen(function*() {
  const ports: Array<number> = []
  for (let number = first; number < first + count; number++) {
    const port = yield* Effect.promise(freePort)
    yield* Layer.build(node(number, port))
    ports.push(port)
  }
  process.stdout.write(`ready ${ports.join(" ")}\n`)
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(program))
