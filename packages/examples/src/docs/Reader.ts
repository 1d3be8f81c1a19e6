import { Knowledge, Reader } from "@svc-runtime/server"

const mail = Reader.make({
  id: "mail",
  types: [".eml", "message/rfc822"],
  read: ({ bytes }) => {
    const [head = "", ...paragraphs] = new TextDecoder().decode(bytes).split(/\r?\n\r?\n/)
    if (paragraphs.length === 0) throw new Reader.Unreadable({ message: "The mail has no text" })
    const subject = /^Subject: (.*)$/m.exec(head)?.[1] ?? ""
    return [{ text: paragraphs.join("\n\n"), metadata: { subject } }]
  }
})

Knowledge.make({ name: "mails", readers: [mail] })
