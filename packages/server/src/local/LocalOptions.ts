import type { Component, Kind, Svc } from "@svc-runtime/client"
import type * as Application from "../Application.ts"
import type * as Made from "./Made.ts"

/** What the local service does not have is for callers over a network. */
export interface LocalOptions extends
  Pick<
    Application.Options,
    "databaseId" | "databases" | "embedder" | "evaluations" | "jobs" | "knowledge" | "limits" | "without"
  >
{
  /** The directory of the embedded database, or `memory`. Default: DATA_DIR; without it in memory. */
  readonly dataDir?: string | undefined
  /** A PostgreSQL, instead of the embedded database. Default: DATABASE_URL. */
  readonly databaseUrl?: string | undefined
  /**
   * On a stored database: the program whose next start resumes its interrupted and paused runs. Default: the path of
   * its script.
   */
  readonly program?: string | undefined
  /**
   * On a stored database: `service` lets services with a component of the same id resume the runs of this program, too.
   * Default: `program`.
   */
  readonly resumedBy?: "program" | "service" | undefined
}

/** The local service of this program. */
export interface Opened {
  readonly client: Svc
  /** Refuses a second component with an id. */
  readonly component: <K extends Kind>(kind: K, component: Made.Component) => Component<K>
  readonly close: () => Promise<void>
}
