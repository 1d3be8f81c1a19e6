// What a run finds around itself: its directory, its home, its variables. Commands ask this and never the process, so that
// a test decides all of it.
import { Context, Layer } from "effect"

export interface EnvironmentValues {
  /** The working directory. */
  readonly cwd: string
  readonly home: string
  /** As Node names it: `darwin`, `linux`, `win32` … */
  readonly platform: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

export class Environment extends Context.Service<Environment, {
  readonly cwd: string
  readonly home: string
  readonly platform: string
  /** The value of a variable. One that is empty is not set. */
  readonly variable: (name: string) => string | undefined
}>()("@svc/cli/Environment") {
  static readonly layer = ({ cwd, home, platform, variables }: EnvironmentValues): Layer.Layer<Environment> =>
    Layer.succeed(Environment, {
      cwd,
      home,
      platform,
      variable: (name) => variables[name] === "" ? undefined : variables[name]
    })
}
