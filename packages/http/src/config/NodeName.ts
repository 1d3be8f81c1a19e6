// The name of this node for operators. It is the same after a restart. Two processes with one name are distinguished by
// their incarnations.
import { Config as Env } from "effect"
import { hostname } from "node:os"
import { Port, text } from "./ConfigReaders.ts"

// 0 lets the system choose, which is what tests want
export const port = Env.schema(Port, "PORT").pipe(Env.withDefault(7777))
export const name = text("NODE_NAME")

export const of = (given: { readonly node: string | undefined; readonly port: number }): string =>
  given.node ?? `${hostname()}:${given.port}`

export const NodeName: Env.Config<string> = Env.map(Env.all({ node: name, port }), of)
