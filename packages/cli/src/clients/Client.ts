// Describes an MCP client with a config file: the path of the file, the format of an entry, and how a user signs in.
// Each client is one module.
import type { Path, Redacted } from "effect"
import type { Table } from "./ConfigFile.ts"
import type { Entries } from "./text/EntryFormat.ts"

/** What JSON and default account names call a client. */
export const keys = ["cli-assistant", "desktop-assistant", "terminal-assistant", "editor-assistant"] as const
export type Key = (typeof keys)[number]

/** What an entry says, however it says it. */
export interface Registration {
  readonly url: string
  readonly token: Redacted.Redacted | undefined
}

/** A place where a client looks for servers. */
export interface Scope extends Table {
  /** Where an entry is, in words for people. */
  readonly label: string
}

export interface Layout {
  /** The one that counts first comes first. */
  readonly scopes: ReadonlyArray<Scope>
  readonly user: Scope
  /** Where a project keeps its own; not every client can. */
  readonly project: Scope | undefined
  /** Any of these shows that the client is installed. */
  readonly evidence: { readonly programs: ReadonlyArray<string>; readonly paths: ReadonlyArray<string> }
  /** Whether a folder that is missing is made. */
  readonly makesFolder: boolean
}

/** The machine, as far as it says where configs are. */
export interface ClientEnvironment {
  readonly cwd: string
  readonly home: string
  readonly platform: string
  readonly variable: (name: string) => string | undefined
  readonly path: Path.Path
}

export interface Client {
  readonly key: Key
  /** As people call it. */
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  readonly layout: (surroundings: ClientEnvironment) => Layout
  readonly encode: (registration: Registration) => Entries
  /** None when the entry is no server behind an address. */
  readonly decode: (entry: Entries) => Registration | undefined
  /** What is left to do when the service lets people sign in. */
  readonly signIn: (entryName: string) => string
  /** A program that its entries are started with. */
  readonly needs?: string
  /** What a token in the file of a project is a danger to. */
  readonly projectWarning?: string
}
