import * as AdapterSuite from "@svc-runtime/test-support/suites/AdapterSuite"
import { Effect } from "effect"
import { starting } from "./TwilioPlatform.ts"

AdapterSuite.suite(
  "Twilio",
  Effect.map(starting(), ({ adapter, delivered, server }) => ({
    adapter,
    written: (text) => new URLSearchParams(server.say(text)).toString(),
    signed: (body) => delivered(server.signed(body)),
    shown: () => server.messages.map(({ body }) => body),
    secrets: [server.authToken]
  }))
)
