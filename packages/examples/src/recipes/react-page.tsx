// # Stream into a React page
// Pages and servers
//
// `useAgent` keeps the conversation, shows the answer while it is written, and continues it after a reload of the page.
// The page needs no server of its own.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//
// Change: the origin of the page has to be in `CORS_ORIGIN_LIST`. `chat.requirements` has what a paused run waits for.
import { Svc } from "@svc-runtime/client"
import { useAgent } from "@svc-runtime/react"

const svc = new Svc({ baseUrl: "http://127.0.0.1:7777" })

export const Chat = ({ sessionId }: { sessionId: string }) => {
  const chat = useAgent("assistant", { client: svc, sessionId })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void chat.send(String(new FormData(event.currentTarget).get("message")))
      }}
    >
      {chat.messages.map(({ id, role, text }) => <p key={id} className={role}>{text}</p>)}
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <input name="message" />
      <button disabled={chat.status === "streaming"}>Send</button>
    </form>
  )
}
