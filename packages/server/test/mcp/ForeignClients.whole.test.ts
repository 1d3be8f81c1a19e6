// Clients of other makers against `/mcp`, unmodified: the adapter of LangChain, and the bridge by which assistants that
// only start programs reach a service.
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import * as ForeignClients from "@svc-runtime/test-support/ForeignClients"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closed, token } from "../authorization/Closed.ts"
import { column } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"

interface Adapter {
  readonly MultiServerMCPClient: new(options: object) => {
    readonly getTools: () => Promise<
      ReadonlyArray<{ readonly name: string; readonly invoke: (input: object) => unknown }>
    >
    readonly close: () => Promise<void>
  }
}

const run = { agent_id: "plain", message: "hi", session_id: "s1" }

const scopes = ["agents:run", "config:read"]

const bridge = join(ForeignClients.folder, "node_modules", "mcp-remote", "dist", "proxy.js")

describe.skipIf(!ForeignClients.areInstalled)("clients of other makers", () => {
  it.live("MultiServerMCPClient of LangChain lists the tools, and runs an agent", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const { MultiServerMCPClient } = (yield* Effect.promise(() =>
        ForeignClients.load("@langchain/mcp-adapters")
      )) as Adapter
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => new MultiServerMCPClient({ mcpServers: { svc: { transport: "http", url: `${url}/mcp` } } })),
        (client) => Effect.promise(() => client.close())
      )
      const tools = yield* Effect.promise(() => client.getTools())
      assert.include(column(tools, "name"), "run_agent")
      const answer = yield* Effect.promise(async () => tools.find(({ name }) => name === "run_agent")?.invoke(run))
      assert.include(JSON.stringify(answer), "Hello.")
    }))

  for (const isClosed of [false, true]) {
    it.effect(`mcp-remote brings a program to the service (with a credential: ${isClosed})`, () =>
      Effect.gen(function*() {
        const { agent } = yield* plain
        const { url } = yield* TestServer.listen(
          isClosed ? { agents: [agent], authorization: yield* closed } : { agents: [agent] }
        )
        const home = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-bridge-"))),
          (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
        )
        const bearer = isClosed ? yield* token("ann", ...scopes) : undefined
        const header = bearer === undefined ? [] : ["--header", `Authorization:Bearer ${bearer}`]
        const client = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            const client = new Client({ name: "test", version: "1" })
            await client.connect(
              new StdioClientTransport({
                command: process.execPath,
                args: [bridge, `${url}/mcp`, "--allow-http", ...header],
                env: { MCP_REMOTE_CONFIG_DIR: home, HOME: home },
                stderr: "ignore"
              }) as never
            )
            return client
          }),
          (client) => Effect.promise(() => client.close())
        )
        const { tools } = yield* Effect.promise(() => client.listTools())
        assert.include(column(tools, "name"), "run_agent")
        const { content } = yield* Effect.promise(() => client.callTool({ name: "run_agent", arguments: run }))
        assert.include(JSON.stringify(content), "Hello.")
      }))
  }
})
