import * as AdapterSuite from "@svc-runtime/test-support/suites/AdapterSuite"
import { Effect } from "effect"
import { starting } from "./GitHubPlatform.ts"

AdapterSuite.suite(
  "GitHub",
  Effect.map(starting(), ({ adapter, delivered, server }) => ({
    adapter,
    written: (text) => JSON.stringify(server.comment(`@${server.slug} ${text}`)),
    signed: (body) => {
      const { headers } = server.signed(body)
      return delivered({ body, headers: { ...headers, "x-github-event": "issue_comment", "x-github-delivery": "d1" } })
    },
    shown: () => server.comments.map(({ body }) => body),
    secrets: [server.privateKey, server.webhookSecret]
  }))
)
