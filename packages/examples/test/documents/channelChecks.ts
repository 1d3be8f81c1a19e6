// docs/guides/channels/own.md
import { webhookChat } from "./webhookChat.ts"
declare const chat: {
  start: () => Promise<{ url: string; bodyOf: (text: string) => string; texts: () => ReadonlyArray<string> }>
}
declare const signatureOf: (body: string) => string
// #region
import { adapterChecks } from "@svc-runtime/testing"
import { test } from "node:test"

const makePlatform = async () => {
  const { bodyOf, texts, url } = await chat.start()
  return {
    adapter: webhookChat({ url, secret: "s3cret" }),
    written: bodyOf,
    signed: (body: string) => ({
      method: "POST",
      url: "https://svc.example.com/channels/chat/events",
      headers: { "x-signature": signatureOf(body) },
      body: new TextEncoder().encode(body),
      at: Date.now()
    }),
    shown: texts,
    secrets: ["s3cret"]
  }
}

for (const { check, title } of adapterChecks(makePlatform)) test(title, check)
// #endregion
