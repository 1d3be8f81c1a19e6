// A service that restarts without a tool that its stored components name.
import { assert } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Exit, Scope } from "effect"
import { post, serve } from "../Wire.ts"

export const post201 = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string, body: object) {
  const { status, text } = yield* post(server, path, body)
  assert.strictEqual(status, 201, text)
})

/** `store` sends its requests while the service has the tool `mail`. */
export const restarted = Effect.fnUntraced(function*<E, R>(
  store: (server: TestServer.TestServer) => Effect.Effect<unknown, E, R>
) {
  const stores = yield* TestDatabase.make()
  const database = () => stores
  const life = yield* Scope.make()
  const tools = [Tool.make({ name: "mail", execute: () => "done" })]
  yield* Effect.flatMap(Scope.provide(serve({ database, registry: { tools } }), life), store)
  yield* Scope.close(life, Exit.void)
  return yield* serve({ database })
})
