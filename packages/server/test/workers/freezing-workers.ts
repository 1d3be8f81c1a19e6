// Two processes behind one port. The first says which process serves, and when it has given it a connection.
import cluster from "node:cluster"
import { createServer } from "node:net"
import { supervise } from "../../src/workers/primary.ts"

if (cluster.isPrimary) {
  const fork = (environment: NodeJS.ProcessEnv) => {
    const worker = cluster.fork(environment)
    const { process: child } = worker
    const send = child.send
    child.send = (...message: ReadonlyArray<unknown>) => {
      if (message[1] instanceof Object) process.stderr.write(`a connection is given to ${child.pid}\n`)
      return Reflect.apply(send, child, message)
    }
    worker.on("listening", ({ port }) => process.stderr.write(`${child.pid} serves ${port}\n`))
    return worker
  }
  process.exit(await supervise({ count: 1, stopMillis: 1000, fork }))
} else {
  createServer((socket) => socket.end("taken")).listen(0, "127.0.0.1", () => process.send?.({ svc: "started" }))
}
