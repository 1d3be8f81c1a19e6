// A pooler in transaction mode, as PgBouncer is one: a client has a server connection only from its first message to
// the end of its transaction. Settings, prepared statements and LISTEN do not survive that, and startup parameters
// such as timeouts are rejected.
import { Effect } from "effect"
import { createHash, createHmac, pbkdf2Sync } from "node:crypto"
import * as Net from "node:net"
import * as Frames from "./Frames.ts"

const allowedParameters = ["user", "database", "client_encoding", "datestyle", "timezone", "application_name"]

const fatal = (problem: string) =>
  Frames.message(
    "E",
    Frames.text("SFATAL"),
    Frames.text("VFATAL"),
    Frames.text("C08P01"),
    Frames.text(`M${problem}`),
    Buffer.of(0)
  )

const hmac = (key: Buffer, value: string) => createHmac("sha256", key).update(value).digest()

/** The client's side of SCRAM-SHA-256. */
const scram = (password: string) => {
  const bare = "n=,r=pooler"
  return {
    first: Frames.message(
      "p",
      Frames.text("SCRAM-SHA-256"),
      Frames.int(Buffer.byteLength(`n,,${bare}`)),
      Buffer.from(`n,,${bare}`)
    ),
    last: (challenge: string) => {
      const [, nonce = "", salt = "", rounds = ""] = /^r=([^,]*),s=([^,]*),i=(\d+)/.exec(challenge) ?? []
      const key = pbkdf2Sync(password, Buffer.from(salt, "base64"), Number(rounds), 32, "sha256")
      const clientKey = hmac(key, "Client Key")
      const ending = `c=biws,r=${nonce}`
      const signature = hmac(createHash("sha256").update(clientKey).digest(), `${bare},${challenge},${ending}`)
      const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0)))
      return Frames.message("p", Buffer.from(`${ending},p=${proof.toString("base64")}`))
    }
  }
}

interface Client {
  readonly socket: Net.Socket
  readonly queue: Array<{ readonly type: string; readonly bytes: Buffer }>
  server: Server | undefined
  /** Sent, and not answered by ReadyForQuery. */
  syncs: number
}

interface Server {
  readonly socket: Net.Socket
  client: Client | undefined
  isReady: boolean
}

/** `url`: of the server. */
export const make = Effect.fnUntraced(function*(url: URL, size = 5) {
  const servers = new Set<Server>()
  const clients = new Set<Client>()
  const counts = { listens: 0, rejected: 0 }

  const assign = () => {
    for (const client of clients) {
      if (client.server !== undefined || client.queue.length === 0) continue
      const server = [...servers].find((each) => each.isReady && each.client === undefined)
      if (server === undefined) return
      // the others have their turn first
      servers.delete(server)
      servers.add(server)
      client.server = server
      server.client = client
      flush(client)
    }
  }

  const flush = (client: Client) => {
    for (const { bytes, type } of client.queue.splice(0)) {
      if (type === "Q" || type === "S") client.syncs++
      client.server?.socket.write(bytes)
    }
  }

  const connect = () => {
    const socket = Net.connect({ host: url.hostname, port: Number(url.port), noDelay: true })
    const server: Server = { socket, client: undefined, isReady: false }
    const login = scram(decodeURIComponent(url.password))
    servers.add(server)
    const parameters = ["user", url.username, "database", url.pathname.slice(1)].map(Frames.text)
    server.socket.write(Frames.message("", Frames.int(196_608), ...parameters, Buffer.of(0)))
    Frames.read(server.socket, false, (type, bytes) => {
      if (type === "R") {
        const step = bytes.readInt32BE(5)
        if (step === 10) server.socket.write(login.first)
        if (step === 11) server.socket.write(login.last(bytes.subarray(9).toString()))
        return
      }
      const { client } = server
      if (!server.isReady) {
        server.isReady = type === "Z"
        if (server.isReady) assign()
        return
      }
      // without a client it is dropped, as a notification is
      client?.socket.write(bytes)
      if (type !== "Z" || client === undefined) return
      client.syncs--
      if (bytes[5] !== 0x49 || client.syncs > 0) return
      client.server = undefined
      server.client = undefined
      // back to the end of the queue
      clients.delete(client)
      clients.add(client)
      assign()
    })
    const gone = () => {
      if (!servers.delete(server)) return
      server.client?.socket.destroy()
      if (isOpen) connect()
    }
    server.socket.on("error", () => {}).once("close", gone)
  }

  const onStartup = ({ socket }: Client, bytes: Buffer) => {
    const fields = bytes.subarray(8).toString().split("\0")
    const unknown = fields.find((name, index) =>
      index % 2 === 0 && name !== "" && !allowedParameters.includes(name.toLowerCase())
    )
    if (unknown !== undefined) {
      counts.rejected++
      return void socket.end(fatal(`unsupported startup parameter: ${unknown}`))
    }
    const parameters = Object.entries({ server_version: "16.0", client_encoding: "UTF8", TimeZone: "UTC" })
    socket.write(Buffer.concat([
      Frames.message("R", Frames.int(0)),
      ...parameters.map(([name, value]) => Frames.message("S", Frames.text(name), Frames.text(value))),
      Frames.message("K", Frames.int(1), Frames.int(1)),
      Frames.message("Z", Buffer.from("I"))
    ]))
  }

  let isOpen = true
  const listener = Net.createServer({ noDelay: true }, (socket) => {
    const client: Client = { socket, queue: [], server: undefined, syncs: 0 }
    clients.add(client)
    Frames.read(socket, true, (type, bytes) => {
      if (type === "startup") {
        // a request for TLS
        return bytes.readInt32BE(4) === 80_877_103 ? void socket.write("N") : onStartup(client, bytes)
      }
      if (type === "X") return void socket.end()
      if (bytes.includes("LISTEN ")) counts.listens++
      client.queue.push({ type, bytes })
      if (client.server === undefined) assign()
      else flush(client)
    })
    socket.on("error", () => {}).once("close", () => {
      clients.delete(client)
      // a transaction in the middle ends with its connection
      client.server?.socket.destroy()
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void listener.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        isOpen = false
        listener.close()
        for (const { socket } of [...clients, ...servers]) socket.destroy()
      })
  )
  for (let index = 0; index < size; index++) connect()
  const through = new URL(url)
  through.port = String((listener.address() as Net.AddressInfo).port)
  return { url: through.href, counts }
})
