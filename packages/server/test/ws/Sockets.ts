// A service with sockets, and clients of it.
import type { AuthorizationOptions } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { second } from "../Wire.ts"
import { open } from "./SocketClient.ts"

export const serve = Effect.fnUntraced(
  function*(authorization: AuthorizationOptions = {}, options: TestServer.Options = {}) {
    yield* TestClock.setTime(second * 1000)
    return yield* TestServer.listen({ authorization, ...options })
  }
)

export const connect = Effect.fnUntraced(
  function*(authorization: AuthorizationOptions = {}, options: TestServer.Options = {}) {
    const client = yield* open((yield* serve(authorization, options)).url)
    const greeting = yield* client.next
    return { ...client, greeting }
  }
)

export const authenticate = (token: string) => ({ action: "authenticate", token })
