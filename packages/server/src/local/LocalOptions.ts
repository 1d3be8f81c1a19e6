import type * as Application from "../Application.ts"

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
}
