// A database as an author names it: an id and where it is. The service connects to it; the handle opens nothing.
import { Ids } from "@svc/domain"
import { Predicate, Redacted } from "effect"
import * as Validate from "./usercode/Validate.ts"

export interface Postgres {
  readonly _tag: "Postgres"
  readonly url: Redacted.Redacted
  readonly maxConnections: number | undefined
  readonly isPooled: boolean
}

export interface Embedded {
  readonly _tag: "Embedded"
  readonly dataDir: string
}

export interface DatabaseHandle {
  readonly _tag: "DatabaseHandle"
  readonly id: Ids.DatabaseId
  readonly source: Postgres | Embedded
}

export interface PostgresOptions {
  /** The `db_id` of requests. Letters, digits, `.`, `_`, `~` and `-`. */
  readonly id: string
  /** `postgres://user:password@host:port/database` */
  readonly url: string | Redacted.Redacted
  /** Default: DATABASE_CONNECTIONS. */
  readonly maxConnections?: number | undefined
  /** The URL is that of a pooler in transaction mode, such as PgBouncer. Default: false. */
  readonly isPooled?: boolean | undefined
}

export interface EmbeddedOptions {
  /** The `db_id` of requests. Letters, digits, `.`, `_`, `~` and `-`. */
  readonly id: string
  /** A directory of its own, or "memory" for a database that ends with the process. */
  readonly dataDir: string
}

const idOf = (id: string) => Ids.DatabaseId.make(Validate.urlId("The database's", id))

const directoryOf = (id: string, value: unknown): string => {
  if (Predicate.isString(value) && value.trim() !== "") return value
  throw new Error(`The database '${id}': dataDir must be a directory of its own, or "memory"`)
}

/** Whether a text is the URL of a database. It may contain a password, so errors show nothing of it. */
export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? "")

export const postgresUrlForm = "postgres://user:password@host:port/database"

const urlOf = (id: string, url: string | Redacted.Redacted): Redacted.Redacted => {
  const value: unknown = Redacted.isRedacted(url) ? Redacted.value(url) : url
  if (Predicate.isString(value) && isPostgresUrl(value)) return Redacted.make(value)
  throw new Error(`The database '${id}': url must be of the form ${postgresUrlForm}`)
}

/** A database on a server. Several nodes can share it. */
export const postgres = ({ id, isPooled = false, maxConnections, url }: PostgresOptions): DatabaseHandle => ({
  _tag: "DatabaseHandle",
  id: idOf(id),
  source: {
    _tag: "Postgres",
    url: urlOf(id, url),
    maxConnections: maxConnections === undefined
      ? undefined
      : Validate.wholeNumber(`The database '${id}'`, "maxConnections", 1, maxConnections),
    isPooled
  }
})

/** A database in this process, for a service of one node. */
export const embedded = ({ dataDir, id }: EmbeddedOptions): DatabaseHandle => ({
  _tag: "DatabaseHandle",
  id: idOf(id),
  source: { _tag: "Embedded", dataDir: directoryOf(id, dataDir) }
})

export const isDatabaseHandle = (value: unknown): value is DatabaseHandle =>
  Predicate.isTagged(value, "DatabaseHandle") && Predicate.hasProperty(value, "source")

const placeOf = ({ source }: DatabaseHandle): string =>
  source._tag === "Postgres"
    ? JSON.stringify([Redacted.value(source.url), source.maxConnections, source.isPooled])
    : source.dataDir

/** Whether two handles name one database in the same way. */
export const isSame = (a: DatabaseHandle, b: DatabaseHandle): boolean => a.id === b.id && placeOf(a) === placeOf(b)

/** The option `db` of a component or a factory. Left out, the service's own database is used. */
export const checked = (owner: string, db: DatabaseHandle | undefined): DatabaseHandle | undefined => {
  if (db === undefined || isDatabaseHandle(db)) return db
  throw new Error(
    `${owner}: db must be a database handle, made by DatabaseHandle.postgres or DatabaseHandle.embedded. ` +
      "Leave it out to use the service's own database"
  )
}
