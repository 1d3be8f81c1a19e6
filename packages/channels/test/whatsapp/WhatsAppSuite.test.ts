import * as AdapterSuite from "@svc-runtime/test-support/suites/AdapterSuite"
import { Effect } from "effect"
import { starting } from "./WhatsAppPlatform.ts"

AdapterSuite.suite(
  "WhatsApp",
  Effect.map(starting(), ({ adapter, delivered, server }) => ({
    adapter,
    written: (text) => JSON.stringify(server.text(text)),
    signed: (body) => delivered(server.signed(body)),
    shown: () => server.messages.map(({ values }) => JSON.stringify(values)),
    pressed: ({ choices }, choice) => {
      const last = server.messages.at(-1)
      const index = choices.findIndex(({ id }) => id === choice)
      return last === undefined ? "" : JSON.stringify(server.press(last, choices[index]?.label ?? ""))
    },
    secrets: [server.token, server.appSecret, server.verifyToken]
  }))
)
