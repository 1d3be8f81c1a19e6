// The wire between a service and PostgreSQL, which knows where statements begin and end. It fails single ones: with any
// SQLSTATE, with a broken connection before or after they were executed, or with rows that have lost their values.
import { Effect } from "effect"
import * as Net from "node:net"
import * as Frames from "./Frames.ts"

/** `raise 53100`, say. */
export type Fault = `raise ${string}` | "cut" | "lost" | "half" | "nulls" | "silent"

/** After these the server ends the connection. */
const fatalStates = /^57P/

const marker = "__fault_"

/** The server rejects it, in the place of the statement, and passes over what follows until the next Sync. */
const unpreparedBind = (sqlstate: string) =>
  Frames.message("B", Frames.text(""), Frames.text(marker + sqlstate), Buffer.alloc(6))

const errorOf = (sqlstate: string) => {
  const severity = fatalStates.test(sqlstate) ? "FATAL" : "ERROR"
  const fields = [`S${severity}`, `V${severity}`, `C${sqlstate}`, "Man injected fault"]
  return Frames.message("E", ...fields.map(Frames.text), Buffer.of(0))
}

/** A row of as many columns, each of them null. */
const nullsOf = (row: Buffer) => {
  const columns = row.readInt16BE(5)
  const count = Buffer.alloc(2)
  count.writeInt16BE(columns)
  return Frames.message("D", count, ...Array.from({ length: columns }, () => Frames.int(-1)))
}

const textAt = (bytes: Buffer, start: number) => {
  const end = bytes.indexOf(0, start)
  return { value: bytes.subarray(start, end).toString(), next: end + 1 }
}

export const make = Effect.fnUntraced(function*(port: number, decide: (sql: string) => Fault | undefined) {
  const sockets = new Set<Net.Socket>()
  const listener = Net.createServer({ noDelay: true }, (client) => {
    const server = Net.connect({ host: "127.0.0.1", port, noDelay: true })
    const statements = new Map<string, string>()
    // how many batches were sent, and how many of the answers have ended; the first one is that to the startup
    let [sent, answered] = [1, 0]
    const faults = new Map<number, Fault>()
    const end = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on("error", () => {}).once("close", () => {
        sockets.delete(socket)
        end()
      })
    }

    const faultOf = (sql: string): Fault | undefined => {
      const fault = decide(sql)
      if (fault !== undefined && !fault.startsWith("raise ")) faults.set(sent, fault)
      return fault
    }
    const ask = (sql: string, bytes: Buffer, rejected: (sqlstate: string) => Buffer) => {
      const fault = faultOf(sql)
      if (fault === "cut") return end()
      server.write(fault?.startsWith("raise ") === true ? rejected(fault.slice("raise ".length)) : bytes)
    }
    Frames.read(client, true, (type, bytes) => {
      if (type === "startup" && bytes.readInt32BE(4) === 80_877_103) return void client.write("N")
      if (type === "P") {
        const name = textAt(bytes, 5)
        statements.set(name.value, textAt(bytes, name.next).value)
      }
      if (type === "B") {
        const name = textAt(bytes, textAt(bytes, 5).next).value
        ask(statements.get(name) ?? "", bytes, unpreparedBind)
      } else if (type === "Q") {
        ask(textAt(bytes, 5).value, bytes, (state) => Frames.message("Q", Frames.text(`execute "${marker}${state}"`)))
      } else server.write(bytes)
      if (type === "S" || type === "Q") sent++
    })

    Frames.read(server, false, (type, bytes) => {
      const fault = faults.get(answered)
      if (type === "Z") answered++
      const [, sqlstate] = type === "E" ? new RegExp(`${marker}(\\w{5})`).exec(bytes.toString()) ?? [] : []
      if (sqlstate !== undefined) {
        client.write(errorOf(sqlstate))
        if (fatalStates.test(sqlstate)) client.end(() => end())
      } else if (fault === "lost" || fault === "silent") {
        if (type === "Z" && fault === "lost") end()
        // it says nothing any more
        if (type === "Z") faults.set(answered, fault)
      } else if (fault === "half" && (type === "D" || type === "C")) {
        client.write(bytes.subarray(0, bytes.length >> 1), end)
        faults.set(answered, "silent")
      } else client.write(type === "D" && fault === "nulls" ? nullsOf(bytes) : bytes)
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void listener.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        listener.close()
        sockets.forEach((socket) => socket.destroy())
      })
  )
  return { port: (listener.address() as Net.AddressInfo).port }
})
