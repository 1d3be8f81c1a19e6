// The block of docs/guides/knowledge.md about readers and chunkers.
// #region
import { Agent, Chunker, Knowledge, Reader, serve } from "@svc-runtime/server"

const mail = Reader.make({
  id: "mail",
  types: [".eml", "message/rfc822"],
  read: ({ bytes }) => {
    const [head = "", ...paragraphs] = new TextDecoder().decode(bytes).split(/\r?\n\r?\n/)
    if (paragraphs.length === 0) throw new Reader.Unreadable({ message: "The mail has no text" })
    return [{ text: paragraphs.join("\n\n"), metadata: { subject: /^Subject: (.*)$/m.exec(head)?.[1] ?? "" } }]
  }
})

const quotes = Chunker.make({ key: "QuoteChunker", chunk: ({ text }) => text.split(/^(?=>)/m) })

const mails = Knowledge.make({ name: "mails", readers: [mail], chunkers: [quotes], chunker: "QuoteChunker" })

serve({ agents: [Agent.make({ id: "assistant", knowledge: mails })] })
// #endregion
