// Describes an MCP client with a config file: the path of the file, the format of an entry, and how a user signs in.
// Each client is one module.
import type { Path, Redacted } from "effect"
import type { Table } from "./ConfigFile.ts"
import type { Entries } from "./text/EntryFormat.ts"

/** The stable name, for JSON and default account names. */
export const keys = ["cli-assistant", "desktop-assistant", "terminal-assistant", "editor-assistant"] as const
export type Key = (typeof keys)[number]

/** The content of an entry, in any format. */
export interface Registration {
  readonly url: string
  readonly token: Redacted.Redacted | undefined
}

/** A place where a client looks for servers. */
export interface Scope extends Table {
  /** The place of an entry, for people. */
  readonly label: string
}

export interface Layout {
  /** The scopes by precedence. */
  readonly scopes: ReadonlyArray<Scope>
  readonly user: Scope
  /** The file of a project. Some clients have none. */
  readonly project: Scope | undefined
  /** Any of these shows that the client is installed. */
  readonly evidence: { readonly programs: ReadonlyArray<string>; readonly paths: ReadonlyArray<string> }
  /** A missing folder is created. */
  readonly makesFolder: boolean
}

/** The facts about the machine that determine the paths of configs. */
export interface ClientEnvironment {
  readonly cwd: string
  readonly home: string
  readonly platform: string
  readonly variable: (name: string) => string | undefined
  readonly path: Path.Path
}

export interface Client {
  readonly key: Key
  /** The display name. */
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  readonly layout: (surroundings: ClientEnvironment) => Layout
  readonly encode: (registration: Registration) => Entries
  /** The service of the entry. An entry without an address has none. */
  readonly decode: (entry: Entries) => Registration | undefined
  /** The remaining step if the service lets people sign in. */
  readonly signIn: (entryName: string) => string
  /** A program that its entries start. */
  readonly needs?: string
  /** The risk of a token in the file of a project. */
  readonly projectWarning?: string
}
