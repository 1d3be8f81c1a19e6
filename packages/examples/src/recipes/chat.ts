// # Use `useChat` of the AI SDK
// Pages and servers
//
// The service speaks the stream of the AI SDK. A page passes the transport to its hook,
// `useChat({ transport: chatOf(url) })`, and needs no server of its own.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   npm run node -- packages/examples/src/recipes/chat.ts
//
// Change: `headers` of the transport takes a token. Teams and workflows have the same route.
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai"

export const chatOf = (url: string) => new DefaultChatTransport<UIMessage>({ api: `${url}/agents/assistant/chat` })

/** What the hook does: it sends a message, and reads the answer as it grows. */
export const send = async (url: string, chatId: string, text: string) => {
  const message: UIMessage = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] }
  const stream = await chatOf(url).sendMessages({
    trigger: "submit-message",
    chatId,
    messageId: undefined,
    messages: [message],
    abortSignal: undefined
  })
  let answer = ""
  for await (const { parts } of readUIMessageStream({ stream })) {
    answer = parts.map((part) => part.type === "text" ? part.text : "").join("")
  }
  return answer
}

if (import.meta.main) console.log(await send("http://127.0.0.1:7777", crypto.randomUUID(), "Hello"))
