// The name of this node for operators. It is the same after a restart. Two processes with one name are distinguished by
// their incarnations.
import type { Worker } from "@svc-runtime/domain/Worker"
import { Config as Env } from "effect"
import { hostname } from "node:os"
import { Port, text } from "./ConfigReaders.ts"

// 0 lets the system choose, which is what tests want
export const port = Env.schema(Port, "PORT").pipe(Env.withDefault(7777))
export const name = text("NODE_NAME")

interface Given {
  readonly node: string | undefined
  readonly port: number
}

/** Each worker of a service has a name of its own. */
export const of = ({ node, port }: Given, worker: Worker | undefined): string =>
  `${node ?? `${hostname()}:${port}`}${worker === undefined ? "" : `-${worker.number}`}`

export const Named: Env.Config<Given> = Env.all({ node: name, port })
