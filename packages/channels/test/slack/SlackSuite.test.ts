import { adapter } from "@svc-runtime/channels/slack/Slack"
import * as SlackServer from "@svc-runtime/test-support/platforms/SlackServer"
import * as AdapterSuite from "@svc-runtime/test-support/suites/AdapterSuite"
import { Effect } from "effect"
import { createHmac } from "node:crypto"

AdapterSuite.suite(
  "Slack",
  Effect.map(SlackServer.make(), (slack) => ({
    adapter: adapter({ token: slack.token, signingSecret: slack.signingSecret, apiUrl: slack.url }),
    written: (text) =>
      JSON.stringify(
        slack.message({
          channel: "D0ANN",
          text: text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
        })
      ),
    signed: (body) => {
      const at = Math.floor(Date.now() / 1000)
      const signature = createHmac("sha256", slack.signingSecret).update(`v0:${at}:${body}`).digest("hex")
      const type = body.startsWith("payload=") ? "application/x-www-form-urlencoded" : "application/json"
      return {
        method: "POST",
        url: "https://svc.example/channels/slack/events",
        headers: {
          "content-type": type,
          "x-slack-request-timestamp": String(at),
          "x-slack-signature": `v0=${signature}`
        },
        body: new TextEncoder().encode(body),
        at: Date.now()
      }
    },
    shown: () => slack.messages.map(({ blocks, text }) => `${text} ${JSON.stringify(blocks ?? [])}`),
    buttons: () =>
      (slack.messages.at(-1)?.blocks ?? []).flatMap(({ elements, type }) =>
        type === "actions" && Array.isArray(elements) ? elements.map(({ text }) => String(text.text)) : []
      ),
    pressed: ({ choices }, choice) => {
      const last = slack.messages.at(-1)
      const label = choices.find(({ id }) => id === choice)?.label ?? ""
      return last === undefined ? "" : `payload=${encodeURIComponent(JSON.stringify(slack.press(last, label)))}`
    },
    secrets: [slack.token, slack.signingSecret]
  }))
)
