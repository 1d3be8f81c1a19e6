// A database as an author names it: an id and where it is. The service connects to it; the handle opens nothing.
import * as Ids from "@svc-runtime/domain/Ids"
import { Predicate, Redacted } from "effect"
import { Mistake } from "./userCode/Mistake.ts"
import * as AuthorOptions from "./userCode/Options.ts"
import * as Validate from "./userCode/Validate.ts"

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
  /** The size of the connection pool. Default: DATABASE_CONNECTIONS. */
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

const check = <Name extends string>(options: object, kinds: AuthorOptions.Kinds<Name>): void =>
  AuthorOptions.check(AuthorOptions.ownerOf("The database", options), options, kinds)

const idOf = (id: string) => Ids.DatabaseId.make(Validate.urlId("The database's", id))

const directoryOf = (id: string, value: unknown): string => {
  if (Predicate.isString(value) && value.trim() !== "") return value
  throw new Mistake(`The database '${id}': dataDir must be a directory of its own, or "memory"`)
}

export const postgresUrlForm = "postgres://user:password@host:port/database"

const scheme = /^postgres(ql)?:\/\//i

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Why a text cannot be the URL of a database; undefined when it can. It shows nothing of it: it may be a password. */
export const postgresUrlProblem = (url: string): string | undefined => {
  if (!scheme.test(url.trim())) return "it does not begin with postgres://"
  if (!isDecodable(url)) return "it contains a % that begins no escape, write it as %25"
  if (URL.parse(url) !== null) return undefined
  const rest = url.trim().replace(scheme, "")
  const path = rest.search(/[/?#]/)
  const at = rest.lastIndexOf("@")
  if (path !== -1 && at > path) return "the user or the password contains /, ? or #, write them as %2F, %3F and %23"
  const host = rest.slice(at + 1, path === -1 ? undefined : path)
  const port = /:([^:\]]*)$/.exec(host)?.[1] ?? ""
  return /^\d*$/.test(port) && Number(port) <= 65_535 ? "its host is not valid" : "its port is no number up to 65535"
}

const urlOf = (id: string, url: string | Redacted.Redacted): Redacted.Redacted => {
  const value: unknown = Redacted.isRedacted(url) ? Redacted.value(url) : url
  const problem = Predicate.isString(value) ? postgresUrlProblem(value) : "it is no text"
  if (Predicate.isString(value) && problem === undefined) return Redacted.make(value)
  throw new Mistake(`The database '${id}': url must be of the form ${postgresUrlForm}: ${problem}`)
}

/** A database on a server. Several nodes can share it. */
export const postgres = (options: PostgresOptions): DatabaseHandle => {
  check(options, { id: "text", url: "any", maxConnections: "any", isPooled: "flag" })
  const { id, isPooled = false, maxConnections, url } = options
  return {
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
  }
}

/** A database in this process, for a service of one node. */
export const embedded = (options: EmbeddedOptions): DatabaseHandle => {
  check(options, { id: "text", dataDir: "any" })
  const { dataDir, id } = options
  return { _tag: "DatabaseHandle", id: idOf(id), source: { _tag: "Embedded", dataDir: directoryOf(id, dataDir) } }
}

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
  throw new Mistake(
    `${owner}: db must be a database handle, made by DatabaseHandle.postgres or DatabaseHandle.embedded. ` +
      "Leave it out to use the service's own database"
  )
}
