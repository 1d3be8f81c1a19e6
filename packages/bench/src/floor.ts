// The floor that figures are compared with: node:http and a PostgreSQL driver with nothing else, doing what a run and a
// read of a session come down to. Started as a process of its own: `PG_URL=… PORT=… node floor.ts`.
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import postgres from "postgres"

const sql = postgres(process.env["PG_URL"] ?? "", { max: 10, onnotice: () => {} })
await sql`create table if not exists floor_sessions (id text primary key, data jsonb not null)`

const answer = "Hello from a fixed model."

const document = (id: string) => ({
  session_id: id,
  session_name: "hi",
  chat_history: [{ role: "user", content: "hi" }, { role: "assistant", content: answer }]
})

const readBody = async (incoming: AsyncIterable<Buffer>) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

createServer(async (incoming, outgoing) => {
  outgoing.setHeader("content-type", "application/json")
  if (incoming.method === "GET") {
    const id = incoming.url?.split("/")[2] ?? ""
    const [row] = await sql`select data::text as text from floor_sessions where id = ${id}`
    outgoing.end(row?.["text"] ?? "{}")
    return
  }
  const body = await readBody(incoming)
  const id = /session_id"\r\n\r\n([^\r]+)/.exec(body)?.[1] ?? randomUUID()
  await sql`
    insert into floor_sessions values (${id}, ${sql.json(document(id))})
    on conflict (id) do update set data = excluded.data`
  outgoing.end(JSON.stringify({ run_id: randomUUID(), content: answer, status: "COMPLETED" }))
}).listen(Number(process.env["PORT"]))
