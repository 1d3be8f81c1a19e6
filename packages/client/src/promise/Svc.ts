import { Component, Conversing } from "./Component.ts"
import { Connection, type ConnectionOptions } from "./Connection.ts"
import { refuseProperties } from "./ForeignMethods.ts"
import { operations, type Resources } from "./generated/resources.ts"
import type { Options } from "./Options.ts"
import { segment } from "./Path.ts"
import { type Body, bodyOf, jsonBody } from "./Uploads.ts"

type Method = (...values: ReadonlyArray<unknown>) => Promise<unknown>

const bodies: Readonly<Record<string, (value: unknown) => Body | Promise<Body>>> = {
  j: (value) => jsonBody(value as object),
  f: (value) => bodyOf(value as object),
  n: (value) => ({ body: String(value), contentType: "application/x-ndjson" })
}

const methodOf = (connection: Connection, row: string): Method => {
  const [method = "GET", template = "/", input] = row.split(" ")
  const places = template.split("{}").length - 1
  return async (...values) => {
    let place = 0
    const path = template.replace(/\{\}/g, () => segment(values[place++]))
    const [first, second] = values.slice(places)
    // without a query and a body, the options come first
    const options = (input === undefined ? first : second) as (Options & { readonly query?: object }) | undefined
    const encode = input === undefined ? undefined : bodies[input]
    const given = encode === undefined
      ? { query: input === undefined ? undefined : first as object | undefined }
      : first === undefined
      ? {}
      : await encode(first)
    return connection.json({ ...options, method, path, ...given })
  }
}

const resource = (connection: Connection, rows: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, methodOf(connection, row)]))

/** Each resource, with a method for each of its operations. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the constructor makes each of these fields
export interface Svc extends Resources {}

/**
 * A service: its agents, teams and workflows, and every resource of its API.
 *
 * @example
 * const svc = new Svc({ baseUrl: "http://127.0.0.1:7777" })
 * const run = await svc.agent("assistant").run("What is 17 times 23?")
 * const { data } = await svc.sessions.list({ limit: 10 })
 */
export class Svc {
  readonly #connection: Connection

  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options)
    for (const [name, rows] of Object.entries(operations)) {
      Object.defineProperty(this, name, { value: resource(this.#connection, rows), enumerable: true })
    }
  }

  agent(id: string): Conversing<"agent"> {
    return new Conversing(this.#connection, "agent", id)
  }

  team(id: string): Conversing<"team"> {
    return new Conversing(this.#connection, "team", id)
  }

  workflow(id: string): Component<"workflow"> {
    return new Component(this.#connection, "workflow", id)
  }

  /**
   * The entries of all pages of a list, one after the other.
   *
   * @example
   * for await (const session of svc.all(svc.sessions.list, { user_id: "ann" })) console.log(session.session_id)
   */
  async *all<Query extends object, Entry>(
    list: (query?: Query & { page?: number }, options?: Options) => Promise<Page<Entry>>,
    query?: Query,
    options?: Options
  ): AsyncGenerator<Entry, void> {
    for (let page = 1;; page++) {
      const { data, meta } = await list({ ...query, page } as Query & { page?: number }, options)
      yield* data
      if (data.length === 0 || page >= meta.total_pages) return
    }
  }
}

refuseProperties(Svc.prototype, "The client")

interface Page<Entry> {
  readonly data: ReadonlyArray<Entry>
  readonly meta: { readonly total_pages: number }
}
