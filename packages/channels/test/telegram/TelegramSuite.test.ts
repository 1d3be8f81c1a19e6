import type * as TelegramServer from "@svc-runtime/test-support/platforms/TelegramServer"
import * as AdapterSuite from "@svc-runtime/test-support/suites/AdapterSuite"
import { Effect } from "effect"
import { deliveryOf, proof, secret, starting } from "./TelegramPlatform.ts"

const labelsOf = (markup: TelegramServer.Values | undefined): ReadonlyArray<string> => {
  const rows = markup?.["inline_keyboard"]
  return Array.isArray(rows) ? rows.flat().map(({ text }) => String(text)) : []
}

AdapterSuite.suite(
  "Telegram",
  Effect.map(starting(), ({ adapter, server }) => ({
    adapter: {
      ...adapter,
      test: async (context) => {
        await fetch(`${server.url}/bot${server.token}/setWebhook?url=https://svc.example.com`)
        return adapter.test(context)
      }
    },
    written: (text) => JSON.stringify(server.say(text)),
    signed: (body) => deliveryOf(body, proof),
    shown: () => server.sent().map(({ text }) => text ?? ""),
    buttons: () => labelsOf(server.sent().at(-1)?.reply_markup),
    pressed: ({ id }, choice) => {
      const last = server.sent().at(-1)
      return last === undefined ? "" : JSON.stringify(server.press(last, `${id}:${choice}`))
    },
    secrets: [server.token, secret]
  }))
)
